/// `time.overlap`: a DATA tag begins no more than 9 seconds before the end of the one before.
enum TimeOverlapCheck: HealthCheck {
    static let id = CheckID.timeOverlap
    static let absence = "No two DATA tags follow each other."
    static let limit: HealthLimit? = .overlap

    /// Judges the seconds between two DATA tags.
    static func judge(_ distance: Int, from last: UInt32, to first: UInt32, policy: HealthPolicy) -> Judgement
    {
        let limit = policy[.overlap]
        guard Double(-distance) > limit else { return .pass }
        return .hit(
            .fail,
            "first time \(UTCTime(first)) is \(SecondsText(-distance)) before the last time of the DATA tag before, "
                + "\(UTCTime(last)): up to \(SecondsText(limit)) of overlap is normal (clock: tag)")
    }
}
