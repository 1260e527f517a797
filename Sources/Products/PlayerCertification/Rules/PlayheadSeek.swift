import NielsenID3
import PlayerSession
import StreamHealth

/// `playhead.seek`: a seek of more than 30 s is announced by stop and loadMetadata.
struct PlayheadSeek: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("playhead.seek"), worst: .warn,
        notRun: "The log has no seek of more than 30 s: seek forward by 2 min, and back by 30 s.",
        expectation: "A seek of more than 30 s is announced by stop and loadMetadata",
        title: "A seek is not announced",
        meaning: """
            The SDK joins positions that follow each other. A jump without `stop` and `loadMetadata` may be counted \
            as watched.
            """,
        appearance: """
            A playhead more than 30 s from the position that the time since the one before explains.
            """,
        cause: """
            The player has an event for seeking that the integration ignores.
            """,
        action: """
            Call `stop` with the last position when a seek begins, and `loadMetadata` when playback continues.
            """,
        source: "field practice")

    private var isAnnounced = false

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        switch event {
        case .load, .end, .free: isAnnounced = true
        case .playhead(let seconds):
            defer { isAnnounced = false }
            guard let jump = player.jump(to: seconds), abs(jump) > 30,
                player.phase != .paused || abs(jump) > 30
            else { return }
            findings.run()
            if !isAnnounced {
                findings.find("the playhead jumps by \(number(jump)) s without stop and loadMetadata")
            }
        default: break
        }
    }
}
