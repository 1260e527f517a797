/// `sequence`: the tags' numbers.
extension CheckExplanation {
    static let sequenceStep = CheckExplanation(
        .sequenceStep, worst: .fail, clock: .tag, limits: [.repeatAge, .infoDelay, .gap],
        title: "The sequence of tags has a step",
        meaning: """
            The tags of an inserter are numbered 0 to 65535 and around again, INFO and DATA in one sequence. A step with
            a gap in the tags' times means that tags were lost (fail). A step without one is a change to another inserter, a
            step over a discontinuity is replaced content, and the same tag again is a repeat: these are warnings. An
            INFO tag up to three places late is as it should be.
            """,
        appearance: """
            Sequence numbers such as 52, 53, 57 with 40 s between the times of 53 and 57: three tags are missing.
            52, 53, 9000 with times that join is a fail-over.
            """,
        cause: """
            Lost tags: segments that were dropped, packets that were lost, a packager that keeps one tag a segment
            and drops the others. A fail-over from a primary to a backup inserter, whose numbers are not shared. Repeats come
            from packagers that put a tag at a segment's edge into both neighbours.
            """,
        action: """
            For a failure compare with the stream before each hop until the missing numbers are there; if each segment has
            one tag at most, the packager is the place. A warning at a known fail-over or splice needs nothing.
            Repeats are harmless to counting, but ask why they are made.
            """)
}
