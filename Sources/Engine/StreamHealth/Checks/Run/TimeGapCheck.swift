/// `time.gap`: the first time of a DATA tag follows the last time of the one before within 9 seconds.
///
/// Fail where the sequence also steps, which `sequence.step` then says; warn where it is +1.
enum TimeGapCheck: HealthCheck {
    static let id = CheckID.timeGap
    static let absence = "No two DATA tags follow each other."
    static let limit: HealthLimit? = .gap

    /// Judges the seconds between two DATA tags, between which broken tags may fill some of the time.
    static func judge(
        _ distance: Int, from last: UInt32, to first: UInt32, brokenCount: Int, policy: HealthPolicy
    ) -> Judgement {
        let filled = Double(brokenCount) * policy[.longestTag]
        let limit = policy[.gap]
        guard Double(distance) - filled > limit else { return .pass }
        let usual = max(1, Int((Double(distance) / 10).rounded()))
        let room = usual == 1 ? "a tag" : "\(usual) tags"
        return .hit(
            .fail,
            "last time \(UTCTime(last)) is \(SecondsText(distance)) before the next DATA tag's first, "
                + "\(UTCTime(first)): up to \(SecondsText(limit)) is normal; there is room for \(room) between, or "
                + "nothing was heard (clock: tag)")
    }
}
