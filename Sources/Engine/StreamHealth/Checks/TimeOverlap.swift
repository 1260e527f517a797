package import NielsenID3

extension CheckID {
    /// `time.overlap`.
    package static let timeOverlap = CheckID("time.overlap")
}

extension HealthLimit {
    /// `time.overlap`: how far a DATA tag may begin before the last one's end.
    public static let overlap = HealthLimit(
        "limit-overlap", 9, "s",
        "time.overlap: how far a DATA tag may begin before the last one's end")
}

/// `time.overlap`: a DATA tag begins no more than 9 seconds before the end of the one before.
enum TimeOverlap: HealthCheck {
    static let declaration = CheckDeclaration(
        .timeOverlap, worst: .fail, clock: .tag, limits: [.overlap], rowLimit: .overlap,
        notRun: "No two DATA tags follow each other.",
        expectation: "A DATA tag does not begin long before the end of the one before",
        title: "The times of two tags overlap",
        meaning: """
            A DATA tag begins more than nine seconds before the end of the one before it in the same run. The same seconds
            are reported twice, by tags that do not agree; overlap up to nine seconds is normal at a fail-over.
            """,
        appearance: """
            The `first` of a tag is earlier than the `last` of the one before, though its PTS is later.
            """,
        cause: """
            Two inserters that work in series, each adding tags; content that was joined out of order, such as a catch-up
            recording that starts over; or an inserter whose wall clock was set back.
            """,
        action: """
            Make sure that only one inserter is in the chain (tell a second one to leave tagged audio alone), and that its clock is
            slewed by NTP, not stepped.
            """)

    static let needsOnlyOwner = true

    /// Checks the seconds between two DATA tags.
    static func check(_ distance: Int, from last: UInt32, to first: UInt32, policy: HealthPolicy)
        -> CheckResult
    {
        let limit = policy[.overlap]
        guard Double(-distance) > limit else { return .pass }
        return .violation(
            .fail,
            "first time \(UTCTime(first)) is \(SecondsText(-distance)) before the last time of the DATA tag before, "
                + "\(UTCTime(last)): up to \(SecondsText(limit)) of overlap is normal (clock: tag)")
    }
}
