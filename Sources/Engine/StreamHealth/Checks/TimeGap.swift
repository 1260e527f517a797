package import NielsenID3

extension CheckID {
    /// `time.gap`.
    package static let timeGap = CheckID("time.gap")
}

extension HealthLimit {
    /// `time.gap`: the maximum time from the last time of one DATA tag to the first time of the next.
    public static let gap = HealthLimit(
        "limit-gap", 9, "s",
        "time.gap: maximum time from the last time of one DATA tag to the first time of the next")
}

/// `time.gap`: the first time of a DATA tag is at most 9 seconds after the last time of the previous one.
///
/// It fails if the sequence also steps, and then `sequence.step` reports it. It warns if the sequence is consecutive.
enum TimeGap: HealthCheck {
    static let declaration = CheckDeclaration(
        .timeGap, worst: .fail, clock: .tag, limits: [.gap], rowLimit: .gap,
        notRun: "No two DATA tags follow each other.",
        expectation: "A DATA tag begins soon after the end of the previous one",
        title: "There is a gap between the times of two tags",
        meaning: """
            The next DATA tag begins more than nine seconds after the end of the previous one: that time is not
            credited. If the sequence steps too, tags were lost (fail). If it is consecutive, the inserter heard no
            watermark (warn), which is normal in an advertisement without one.
            """,
        appearance: """
            In `dtvr scan`, the `last` of one tag is far from the `first` of the next. In a clean stream they are equal.
            """,
        cause: """
            With a step in the sequence: lost segments or packets, see `sequence.step`. Without one: silence, music or
            an advertisement without a watermark, a switch to an audio track without one, or audio processing before the
            inserter that removes the watermark.
            """,
        action: """
            Compare the time of the gap with the schedule. If content with a watermark ran then, listen to the audio at
            the inserter's input: correct track, correct level, no downmix or time stretching before it.
            """,
        alerting: .init(explainedBy: [.segmentHTTP, .playlistSequenceGap]))

    static let needsOnlyOwner = true

    /// Checks the seconds between two DATA tags; broken tags between them may account for some of the time.
    ///
    /// `unread` is the segments between them that could not be read, which explain a gap.
    static func check(
        _ distance: Int, from last: UInt32, to first: UInt32, brokenCount: Int,
        unread: Finding.UnreadSegments? = nil,
        policy: HealthPolicy
    ) -> CheckResult {
        let filled = Double(brokenCount) * policy[.longestTag]
        let limit = policy[.gap]
        guard Double(distance) - filled > limit else { return .pass }
        let usual = max(1, Int((Double(distance) / 10).rounded()))
        let room = usual == 1 ? "a tag" : "\(usual) tags"
        let explanation =
            unread.map { "\($0)" } ?? "\(room) may be missing between them, or no watermark was heard"
        return .violation(
            .fail,
            "last time \(UTCTime(last)) is \(SecondsText(distance)) before the next DATA tag's first, "
                + "\(UTCTime(first)): up to \(SecondsText(limit)) is normal; \(explanation) (clock: tag)")
    }
}
