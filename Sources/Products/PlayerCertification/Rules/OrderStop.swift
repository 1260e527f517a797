import PlayerSession
import NielsenID3
import StreamHealth

/// `order.stop`: `stop` comes before each advertisement and after it.
struct OrderStop: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("order.stop"), worst: .fail,
        notRun: "The log has no advertisement after the start of content: play a midroll.",
        expectation: "`stop` comes before each advertisement and after it",
        title: "An asset is loaded without `stop`",
        meaning: """
            Without `stop` the SDK counts until the next call, so that the seconds of one asset go to the other.
            """,
        appearance: """
            `loadMetadata` of an advertisement while content plays, or of content while an advertisement plays.
            """,
        cause: """
            The player has no event for the begin or the end of an advertisement.
            """,
        action: """
            Call `stop` when content pauses for an advertisement, and at the end of each advertisement.
            """,
        source: "guide 001, Sequence of Calls; guide 003, Managing Ads")

    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        // `trackEvent` needs no stop.
        guard call.interface != .tracked, case .load(let metadata)? = call.events.first else { return }
        let isAd = PlayerTimeline.type(of: metadata)?.isAd ?? false
        guard player.isAd || isAd, player.position != nil, !PlayerTimeline.isSame(player.asset, metadata)
        else { return }
        findings.run()
        if player.phase == .playing {
            let kinds = [isAd, player.isAd].map { $0 ? "an advertisement" : "content" }
            findings.find("\(kinds[0]) is loaded while \(kinds[1]) plays")
        }
    }
}
