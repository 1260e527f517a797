import NielsenID3
import PlayerSession
import StreamHealth

/// `playhead.interval`: a playhead comes every second during playback, and never later than 5 s.
struct PlayheadInterval: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("playhead.interval"), worst: .fail,
        notRun: "The log has no two playheads in a row: play content for a minute.",
        expectation: "A playhead comes every second during playback, and never later than 5 s",
        title: "Playheads are too far apart",
        meaning: """
            Between two playheads that are too far apart the SDK counts nothing.
            """,
        appearance: """
            More than 5 s between two playheads of an asset while it plays.
            """,
        cause: """
            A timer that runs every 10 s, or one that is stopped by the page.
            """,
        action: """
            Report the position every second (guide 002: every two), and `stop` or `pause` when playback is \
            interrupted.
            """,
        source: """
            guide 001, SDK Events (every second); guide 002, 3.4 (every two); the limit of 5 s: field practice
            """)

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .playhead = event, player.phase == .playing, let last = player.position else { return }
        findings.run()
        let distance = player.time - max(last.at, player.phaseStart)
        if distance > 5 { findings.find("the playhead before is \(number(distance)) s older") }
    }
}
