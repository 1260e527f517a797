package import NielsenID3

extension CheckID {
    /// `time.overlap`.
    package static let timeOverlap = CheckID("time.overlap")
}

extension HealthLimit {
    /// `time.overlap`: the maximum overlap of a DATA tag with the previous one.
    public static let overlap = HealthLimit(
        "limit-overlap", 9, "s",
        "time.overlap: maximum overlap of a DATA tag with the previous one")
}

/// `time.overlap`: a DATA tag begins at most 9 seconds before the end of the previous one.
enum TimeOverlap: HealthCheck {
    static let declaration = CheckDeclaration(
        .timeOverlap, worst: .fail, clock: .tag, limits: [.overlap], rowLimit: .overlap,
        notRun: "No two DATA tags follow each other.",
        expectation: "A DATA tag does not begin long before the end of the previous one",
        title: "The times of two tags overlap",
        meaning: """
            A DATA tag begins more than nine seconds before the end of the previous one in the same run. The same
            seconds are reported twice, by tags that disagree. An overlap of up to nine seconds is normal at a
            fail-over.
            """,
        appearance: """
            The `first` of a tag is earlier than the `last` of the previous one, although its PTS is later.
            """,
        cause: """
            Two inserters in series that both add tags; content that was joined out of order, such as a catch-up
            recording that starts over; or an inserter whose wall clock was set back.
            """,
        action: """
            Make sure that the chain has only one inserter (configure a second one to leave tagged audio alone) and that
            NTP slews its clock instead of stepping it.
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
            "first time \(UTCTime(first)) is \(SecondsText(-distance)) before the last time of the previous DATA tag, "
                + "\(UTCTime(last)): up to \(SecondsText(limit)) of overlap is normal (clock: tag)")
    }
}
