import NielsenID3
import PlayerSession
import StreamHealth

/// `interruption.background`: a video app reports nothing while it is in the background.
struct InterruptionBackground: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("interruption.background"), worst: .fail,
        notRun: "The log has no background: send the app to the background for 5 s, and for 20 s.",
        expectation: "A video app reports nothing while it is in the background",
        title: "A video app reports playback in the background",
        meaning: """
            The picture is not visible. Audio may continue, and then the app does not report the background.
            """,
        appearance: """
            A playhead, or the finding `tag.in-background`, between `appInBackground` and `appInForeground`.
            """,
        cause: """
            The timer of the playhead runs on, or the player loads segments in the background.
            """,
        action: """
            Stop the timer and call `stop` when the app leaves the foreground. An audio app continues without \
            `appInBackground`.
            """,
        source: "guide 001, Handling Foreground and Background states; guide 004, Stop/Resume the Measurement"
    )

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        switch event {
        case .background: findings.run()
        case .playhead where player.phase == .background: findings.find("a playhead comes in the background")
        case .tag where player.phase == .background: findings.find("a tag comes in the background")
        default: break
        }
    }
}
