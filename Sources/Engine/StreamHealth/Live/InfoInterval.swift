import NielsenID3

/// The time since the last INFO tag of live media, for `info.late`.
struct InfoInterval: Sendable {
    /// Seconds of media since the last INFO tag, or since the start or the last break if there was none.
    private var elapsed = 0.0
    private var hasInfo = false
    /// Seconds of media since the start or the last break.
    private var duration = 0.0

    /// Records a segment that was read and checks the time up to its end.
    mutating func observe(length: Double, hasInfo isThere: Bool, policy: HealthPolicy) -> CheckResult {
        duration += length
        elapsed += length
        if isThere {
            elapsed = 0
            hasInfo = true
        }
        guard duration >= policy[.infoMinimumDuration] else { return .notRun }
        let limit = policy[.infoInterval]
        guard elapsed > limit else { return .pass }
        let since = hasInfo ? "since the last INFO tag" : "without an INFO tag"
        return .violation(
            .fail,
            "\(SecondsText(elapsed)) of media \(since): one is late after \(SecondsText(limit)) (clock: pts)")
    }

    /// Restarts the interval after content that may have replaced an INFO tag.
    mutating func restart() { self = InfoInterval() }
}
