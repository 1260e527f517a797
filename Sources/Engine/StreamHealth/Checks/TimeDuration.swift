import NielsenID3

extension HealthLimit {
    /// `time.duration`: the longest time that a DATA tag may span.
    public static let longestTag = HealthLimit(
        "limit-longest-tag", TagPolicy().longestTag, "s",
        "time.duration: longest time that a DATA tag may span")
    /// `time.duration`: the shortest time that a DATA tag with an unused block may span.
    public static let shortestTag = HealthLimit(
        "limit-shortest-tag", TagPolicy().shortestTag, "s",
        "time.duration: shortest time that a DATA tag with an unused block may span")
}

/// `time.duration`: a DATA tag spans 4 to 12 seconds, or less if it was closed early because it was full.
enum TimeDuration: TagCheck {
    static let declaration = CheckDeclaration(
        .timeDuration, worst: .fail, clock: .tag, limits: [.longestTag, .shortestTag], rowLimit: .longestTag,
        notRun: "No DATA tag was read.",
        expectation: "A DATA tag spans a normal length of time",
        title: "A tag spans too long or too short a time",
        meaning: """
            A DATA tag spans ten seconds. A tag of more than twelve seconds, or of less than four although it has room
            left, was not closed when it should have been. A short tag passes if all of its seven blocks are used,
            because it was closed when it was full.
            """,
        appearance: """
            `last` − `first` is above 12 s, below 4 s, or negative. The finding has the number of unused blocks.
            """,
        cause: """
            The inserter was fed faster or slower than real time (a file read without pacing; then `time.rate` fails
            too), it was restarted in the middle of a tag, or its clock was stepped.
            """,
        action: """
            Check `time.rate` first. A single finding at a restart of the inserter needs no action. If findings are
            regular, find out what restarts the inserter or steps its clock.
            """)

    static let rule = TagRule.duration

    static func detail(of tag: TagOccurrence, by policy: HealthPolicy) -> String {
        let duration = tag.tag.duration ?? 0
        let spans = "\(span(of: tag)) the tag spans \(SecondsText(duration))"
        let longest = policy[.longestTag]
        if Double(duration) > longest { return "\(spans): up to \(SecondsText(longest)) is normal" }
        return "\(spans) with \(tag.tag.unusedBlockCount ?? 0) of seven blocks unused: "
            + "at least \(SecondsText(policy[.shortestTag])) is normal unless all are used"
    }

    private static func span(of tag: TagOccurrence) -> String {
        guard let first = tag.tag.firstTime, let last = tag.tag.lastTime else { return "" }
        return "from \(UTCTime(first)) to \(UTCTime(last))"
    }
}
