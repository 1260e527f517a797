package import NielsenID3

extension CheckID {
    /// `time.gap`.
    package static let timeGap = CheckID("time.gap")
}

extension HealthLimit {
    /// `time.gap`: from the last time of one DATA tag to the first of the next.
    public static let gap = HealthLimit(
        "limit-gap", 9, "s",
        "time.gap: from the last time of one DATA tag to the first of the next")
}

/// `time.gap`: the first time of a DATA tag follows the last time of the one before within 9 seconds.
///
/// Fail where the sequence also steps, which `sequence.step` then says; warn where it is +1.
enum TimeGap: HealthCheck {
    static let declaration = CheckDeclaration(
        .timeGap, worst: .fail, clock: .tag, limits: [.gap], rowLimit: .gap,
        notRun: "No two DATA tags follow each other.",
        expectation: "A DATA tag begins soon after the end of the one before",
        title: "There is a gap between the times of two tags",
        meaning: """
            The next DATA tag begins more than nine seconds after the end of the one before: for that time nobody is
            credited. Where the sequence steps too, tags were lost (fail); where it goes on by one, the inserter heard no
            watermark (warn), which is normal in an advertisement without one.
            """,
        appearance: """
            The `last` of one tag and the `first` of the next lie apart in `dtvr scan`. In a clean stream they are equal.
            """,
        cause: """
            With a step in the sequence: lost segments or packets, see `sequence.step`. Without one: silence, music or an
            advertisement without watermark, audio that was switched to a track without one, or audio processing in
            front of the inserter that removes the watermark.
            """,
        action: """
            Compare the time of the gap with the schedule. If content with a watermark ran then, listen to the audio at the
            inserter's input: right track, right level, no downmix or time stretching in front of it.
            """)

    static let needsOnlyOwner = true

    /// Checks the seconds between two DATA tags, between which broken tags may fill some of the time.
    static func check(
        _ distance: Int, from last: UInt32, to first: UInt32, brokenCount: Int, policy: HealthPolicy
    ) -> CheckResult {
        let filled = Double(brokenCount) * policy[.longestTag]
        let limit = policy[.gap]
        guard Double(distance) - filled > limit else { return .pass }
        let usual = max(1, Int((Double(distance) / 10).rounded()))
        let room = usual == 1 ? "a tag" : "\(usual) tags"
        return .violation(
            .fail,
            "last time \(UTCTime(last)) is \(SecondsText(distance)) before the next DATA tag's first, "
                + "\(UTCTime(first)): up to \(SecondsText(limit)) is normal; there is room for \(room) between, or "
                + "nothing was heard (clock: tag)")
    }
}
