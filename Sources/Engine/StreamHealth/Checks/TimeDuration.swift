package import NielsenID3

extension CheckID {
    /// `time.duration`.
    package static let timeDuration = CheckID("time.duration")
}

extension HealthLimit {
    /// `time.duration`: what a DATA tag spans at most.
    public static let longestTag = HealthLimit(
        "limit-longest-tag", 12, "s",
        "time.duration: what a DATA tag spans at most")
    /// `time.duration`: what a DATA tag with a block unused spans at least.
    public static let shortestTag = HealthLimit(
        "limit-shortest-tag", 4, "s",
        "time.duration: what a DATA tag with a block unused spans at least")
}

/// `time.duration`: a DATA tag spans 4 to 12 seconds, or less where it was closed early because it was full.
enum TimeDuration: TagCheck {
    static let declaration = CheckDeclaration(
        .timeDuration, worst: .fail, clock: .tag, limits: [.longestTag, .shortestTag], rowLimit: .longestTag,
        notRun: "No DATA tag was read.",
        expectation: "A DATA tag spans neither too much nor too little time",
        title: "A tag spans too long or too short a time",
        meaning: """
            A DATA tag spans ten seconds. One of more than twelve, or of less than four though it has room left, was
            not closed when it should have been. A short one whose seven blocks are all used closed early because it was
            full, and passes.
            """,
        appearance: """
            `last` − `first` is above 12 s or below 4 s (or negative). The finding says how many of the blocks are unused.
            """,
        cause: """
            The inserter was fed faster or slower than real time (a file read without pacing, then `time.rate` fails
            too), or was stopped and restarted in the middle of a tag; or its clock was stepped.
            """,
        action: """
            Look at `time.rate` first. Single ones at a restart of the inserter need nothing; if they come regularly,
            find out what restarts it, or steps its clock.
            """)

    static func check(_ tag: TagOccurrence, by policy: HealthPolicy) -> CheckResult {
        guard tag.validKind == .data, let duration = tag.tag.duration else { return .notRun }
        let longest = policy[.longestTag]
        let shortest = policy[.shortestTag]
        let unused = tag.tag.unusedBlockCount ?? 0
        if Double(duration) > longest {
            return .violation(
                .fail,
                "\(span(of: tag)) the tag spans \(SecondsText(duration)): up to \(SecondsText(longest)) is normal"
            )
        }
        if Double(duration) < shortest, unused > 0 {
            return .violation(
                .fail,
                "\(span(of: tag)) the tag spans \(SecondsText(duration)) with \(unused) of seven blocks unused: "
                    + "at least \(SecondsText(shortest)) is normal unless all are used")
        }
        return .pass
    }

    private static func span(of tag: TagOccurrence) -> String {
        guard let first = tag.tag.firstTime, let last = tag.tag.lastTime else { return "" }
        return "from \(UTCTime(first)) to \(UTCTime(last))"
    }
}
