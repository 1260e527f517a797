import PlayerSession
import NielsenID3
import StreamHealth

/// `playhead.interval`: a playhead comes as often as the market's guide asks, and never later than 5 s.
struct PlayheadInterval: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("playhead.interval"), worst: .fail,
        notRun: "The log has no two playheads in a row: play content for a minute.",
        expectation: "A playhead comes at the interval of the market, and never later than 5 s",
        title: "Playheads are too far apart",
        meaning: """
            Between two playheads that are too far apart the SDK counts nothing.
            """,
        appearance: """
            More than 5 s between two playheads of an asset while it plays, or eleven in a row that take more than one \
            and a half times as long as at the interval of the market. Without a market only the 5 s count.
            """,
        cause: """
            A timer that runs every 10 s, one that is stopped by the page, or a callback of the player that comes \
            more rarely than the guide asks.
            """,
        action: """
            Report the position every second (guide 002: every two), and `stop` or `pause` when playback is \
            interrupted.
            """,
        source: """
            guide 001, SDK Events (every second); guide 002, 5.4 playheadPosition (every two); guide 004, \
            playheadPosition (every second); the limit of 5 s: field practice
            """)

    /// The number of intervals that are judged together, so that a timer may be late now and then.
    private static let intervalCount = 10
    /// The time that these may take, as a multiple of the market's interval.
    private static let tolerance = 1.5

    /// The time of the first playhead in a row, and the number of playheads after it.
    private var start: Double?
    private var count = 0

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .playhead = event else {
            if case .tag = event { return }
            start = nil
            return
        }
        guard player.phase == .playing, let last = player.position else {
            start = player.time
            count = 0
            return
        }
        findings.run()
        let distance = player.time - max(last.at, player.phaseStart)
        if distance > 5 { findings.find("the playhead before is \(number(distance)) s older") }
        guard let start, distance <= 5 else {
            start = player.time
            count = 0
            return
        }
        count += 1
        guard count == Self.intervalCount else { return }
        judge(player.time - start, of: player, &findings)
        self.start = player.time
        count = 0
    }

    private func judge(_ seconds: Double, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard let market = player.market, let rule = MarketProfile.profile(of: market)?.playhead else {
            return
        }
        let mean = seconds / Double(Self.intervalCount)
        guard mean > Double(rule.interval) * Self.tolerance else { return }
        findings.find(
            "a playhead comes every \(number(mean)) s, expected \(rule.expectation) (\(rule.source))")
    }
}
