import PlayerSession
import NielsenID3
import StreamHealth

/// `order.final-playhead`: a final playhead comes before stop, end and loadMetadata.
struct OrderFinalPlayhead: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("order.final-playhead"), worst: .warn,
        notRun: "The log has no stop, end or next asset while something plays: play content to its end.",
        expectation: "A final playhead comes before stop, end and loadMetadata",
        title: "The final playhead is missing",
        meaning: """
            The seconds between the last playhead and the end of an asset are lost.
            """,
        appearance: """
            `stop`, `end` or `loadMetadata` of another asset more than 2.5 s after the last playhead, while playback \
            continues.
            """,
        cause: """
            The timer of the playhead is stopped before the end is reported.
            """,
        action: """
            Report the position again before `stop`, `end` and `loadMetadata`, or pass it with `stop` and `end`.
            """,
        source: "guide 001, SDK Events; guide 004, playheadPosition")

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        switch event {
        case .stop, .end: break
        case .load(let metadata) where !PlayerTimeline.isSame(player.asset, metadata): break
        default: return
        }
        guard player.phase == .playing, let position = player.position else { return }
        findings.run()
        let silence = player.time - position.at
        if silence > 2.5 { findings.find("the last playhead is \(number(silence)) s old") }
    }
}
