package import NielsenID3

extension CheckID {
    /// `sequence.step`.
    package static let sequenceStep = CheckID("sequence.step")
}

extension HealthLimit {
    /// The same bytes up to this much later are a repeat.
    public static let repeatAge = HealthLimit(
        "limit-repeat-age", 60, "s",
        "the same bytes up to this much later are a repeat")
    /// `sequence.step`: how many places late an INFO tag may come.
    public static let infoDelay = HealthLimit(
        "limit-info-delay", 3, "places",
        "sequence.step: how many places late an INFO tag may come")
}

/// `sequence.step`: each tag's number is the one after that of the tag before, modulo 65536.
///
/// `InserterRuns` tells which tag is before; `PendingStep` waits for the tags that decide how severe it is.
enum SequenceStep: HealthCheck {
    static let declaration = CheckDeclaration(
        .sequenceStep, worst: .fail, clock: .tag, limits: [.repeatAge, .infoDelay, .gap],
        notRun: "No two tags follow each other.",
        expectation: "Sequence numbers step by one: no tag is lost or repeated",
        title: "The sequence of tags has a step",
        meaning: """
            The tags of an inserter are numbered 0 to 65535 and then from 0 again, INFO and DATA in one sequence. A step with
            a gap in the tags' times means that tags were lost (fail). A step without one is a change to another inserter, a
            step over a discontinuity is replaced content, and the same tag again is a repeat: these are warnings. An
            INFO tag up to three places late is normal.
            """,
        appearance: """
            Sequence numbers such as 52, 53, 57 with 40 s between the times of 53 and 57: three tags are missing.
            52, 53, 9000 with times that join is a fail-over.
            """,
        cause: """
            Lost tags: segments that were dropped, packets that were lost, a packager that keeps one tag a segment
            and drops the others. A fail-over from a primary to a backup inserter, whose numbers are not shared. Repeats come
            from packagers that put a tag at a segment's edge into both segments.
            """,
        action: """
            For a failure compare with the stream before each hop until the missing numbers are there; if each segment has
            one tag at most, the packager is the cause. A warning at a known fail-over or splice needs nothing.
            Repeats are harmless to counting, but ask why they are made.
            """)

    static let needsOnlyOwner = true

    /// What was seen and what was expected.
    static func sentence(for step: PendingStep) -> String {
        let seen = sentence(from: step.from, to: step.to)
        guard step.kind == .ahead else { return seen }
        guard let first = step.missing.first else {
            return seen + ", and what is between came late on a tag that is no INFO tag"
        }
        if step.missing.count == 1 { return seen + ": \(first) is missing" }
        return seen + ": \(step.missing.count) numbers from \(first) on are missing"
    }

    /// What was seen and what was expected.
    static func sentence(from: UInt16, to: UInt16) -> String {
        "after sequence \(from) comes \(to), not \(from &+ 1)"
    }

    /// What a step without a time gap means.
    static func meaning(of step: PendingStep) -> String {
        switch step.timing {
        case .unknown, .none: "(no DATA tag shows whether time is missing too)"
        case .distance:
            step.kind == .ahead && step.missing.count <= 1
                ? "without a time gap: an INFO tag is missing, or another inserter took over"
                : "without a time gap: another inserter took over"
        }
    }
}
