/// `presence.silent`: live, DATA tags keep coming.
struct SilenceCheck: HealthCheck, Sendable {
    static let id = CheckID.presenceSilent
    static let absence = "The input is recorded."
    static let limit: HealthLimit? = .silence

    private var lastTime: Double?
    private var hasData = false
    private var isSilent = false

    /// Whether any wall time was told, without which nothing can be judged.
    var isRun: Bool { lastTime != nil }

    /// Notes a DATA tag that came at a wall time in Unix seconds.
    mutating func observe(at wallTime: Double) {
        guard wallTime.isFinite else { return }
        lastTime = max(lastTime ?? wallTime, wallTime)
        hasData = true
        isSilent = false
    }

    /// Says what the wall time is; a silence is told once.
    mutating func advance(to wallTime: Double, policy: HealthPolicy) -> Judgement {
        guard wallTime.isFinite else { return .notJudged }
        guard let lastTime else {
            self.lastTime = wallTime
            return .pass
        }
        let silence = wallTime - lastTime
        guard silence > policy[.silence] else { return .pass }
        guard !isSilent else { return .notJudged }
        isSilent = true
        let since = hasData ? "since the last DATA tag" : "and no DATA tag yet"
        return .hit(
            .fail,
            "\(SecondsText(silence)) \(since): the alarm is set to \(SecondsText(policy[.silence])) (clock: wall)"
        )
    }
}
