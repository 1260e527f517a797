import NielsenID3
import PlayerSession
import StreamHealth

/// `order.content-first`: the metadata of the content comes before its tags, and before a preroll.
struct OrderContentFirst: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("order.content-first"), worst: .fail,
        notRun: "The log has no tag, playhead or preroll: play content.",
        expectation: "The metadata of the content comes before its tags, and before a preroll",
        title: "The metadata of the content comes too late",
        meaning: """
            A tag, a playhead or a preroll before the metadata of its content belongs to nothing that can be \
            credited.
            """,
        appearance: """
            The finding `metadata.missing`, or `loadMetadata` of a preroll as the first of a stream.
            """,
        cause: """
            The app loads the metadata when the picture appears, after the advertisement.
            """,
        action: """
            Call `loadMetadata` of the content directly after `play`, then that of the preroll.
            """,
        source: "guide 001, Sample API Sequence; guide 004, API Call Sequence")

    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        if call.has("metadata.missing"), !call.has("tag.after-end") {
            findings.run()
            findings.find("the first tag of a viewing session comes before any metadata")
        }
        // Each event of `trackEvent` has the metadata of the content.
        guard call.interface != .tracked, case .load(let metadata)? = call.events.first,
            PlayerTimeline.type(of: metadata) == .preroll
        else { return }
        findings.run()
        if player.content == nil { findings.find("a preroll is loaded before the metadata of the content") }
    }

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        switch event {
        case .tag where player.asset != nil, .playhead where player.asset != nil: findings.run()
        default: break
        }
    }
}
