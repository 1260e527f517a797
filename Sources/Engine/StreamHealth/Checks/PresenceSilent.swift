package import NielsenID3

extension CheckID {
    /// `presence.silent`.
    package static let presenceSilent = CheckID("presence.silent")
}

extension HealthLimit {
    /// `presence.silent`: live, no DATA tag for this long.
    public static let silence = HealthLimit(
        "limit-silence", 30, "s",
        "presence.silent: live, no DATA tag for this long")
}

/// `presence.silent`: live, DATA tags keep coming.
struct PresenceSilent: HealthCheck, Sendable {
    static let declaration = CheckDeclaration(
        .presenceSilent, worst: .fail, clock: .wall, limits: [.silence], rowLimit: .silence,
        notRun: "The input is recorded.",
        expectation: "In a live stream, DATA tags keep coming",
        title: "A live stream has had no tag for too long",
        meaning: """
            For longer than the limit no DATA tag came, by the wall clock. As long as this lasts nobody who watches is
            counted.
            """,
        appearance: """
            New segments arrive and have no DATA tags; or no segments arrive at all, which the monitor reports as well.
            """,
        cause: """
            From the end of the chain: the origin or packager has stopped; the encoder was changed or restarted without passing
            metadata on; the inserter has stopped or lost its audio; a long stretch without a watermark (a break, a slate,
            a sports event without commentary).
            """,
        action: """
            First check that the stream itself runs. Then ask the inserter: if it makes tags, go down the chain with
            `dtvr check` to where they are lost; if it does not, look at its audio input. Where stretches without a
            watermark are usual on this channel, set the limit higher.
            """)

    private var lastTime: Double?
    /// Since when the time counts, as a sentence has it.
    private var since = "and no DATA tag yet"
    /// Whether the limit has passed since the last DATA tag.
    private(set) var isSilent = false

    /// Whether any wall time was told, without which nothing can be finished.
    var isRun: Bool { lastTime != nil }

    /// Notes a DATA tag that came at a wall time in Unix seconds.
    mutating func observe(at wallTime: Double) {
        guard wallTime.isFinite else { return }
        lastTime = max(lastTime ?? wallTime, wallTime)
        since = "since the last DATA tag"
        isSilent = false
    }

    /// Says that up to a wall time no tag was expected.
    mutating func hold(at wallTime: Double) {
        guard wallTime.isFinite else { return }
        if lastTime != nil { since = "without a DATA tag since they are expected again" }
        lastTime = max(lastTime ?? wallTime, wallTime)
    }

    /// Says what the wall time is; a silence is told once.
    mutating func advance(to wallTime: Double, policy: HealthPolicy) -> CheckResult {
        guard wallTime.isFinite else { return .notRun }
        guard let lastTime else {
            self.lastTime = wallTime
            return .pass
        }
        let silence = wallTime - lastTime
        guard silence > policy[.silence] else { return .pass }
        guard !isSilent else { return .notRun }
        isSilent = true
        return .violation(
            .fail,
            "\(SecondsText(silence)) \(since): the alarm is set to \(SecondsText(policy[.silence])) (clock: wall)"
        )
    }
}
