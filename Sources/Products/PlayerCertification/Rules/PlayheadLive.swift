import NielsenID3
import PlayerSession
import StreamHealth

/// `playhead.live`: the playhead of a live stream is Unix time.
struct PlayheadLive: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("playhead.live"), worst: .fail,
        notRun: "The log has no playhead of a live stream (length 0 or 86400): play one.",
        expectation: "The playhead of a live stream is Unix time",
        title: "The playhead of a live stream is not Unix time",
        meaning: """
            The position of a live stream says which minute of the broadcast is watched. A position in the player's \
            window says nothing.
            """,
        appearance: """
            A playhead below 1,000,000,000 while the length of the content is 0 or 86400.
            """,
        cause: """
            The position of the player is passed, which counts from the start of its window.
            """,
        action: """
            Pass the Unix time of the picture: the current one, or that of the position after a seek back.
            """,
        source: "guide 001, SDK Events; guide 004, playheadPosition")

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .playhead(let seconds) = event, player.isLive, !player.isAd else { return }
        findings.run()
        if seconds < 1_000_000_000 {
            findings.find("\(number(seconds)) is not the Unix time of a live picture")
        }
    }
}
