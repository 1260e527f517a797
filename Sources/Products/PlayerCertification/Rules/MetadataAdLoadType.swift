import PlayerSession
import NielsenID3
import StreamHealth

/// `metadata.adloadtype`: in Italy adloadtype is 2.
struct MetadataAdLoadType: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("metadata.adloadtype"), worst: .fail,
        notRun: "The log has no content metadata of Italy.",
        expectation: "In Italy adloadtype is 2",
        title: "adloadtype is not 2",
        meaning: """
            All content in Italy is measured with dynamic advertisements, also that of broadcasts.
            """,
        appearance: """
            `adloadtype` other than 2 in content metadata.
            """,
        cause: """
            The value of another market.
            """,
        action: """
            Pass `adloadtype` 2.
            """,
        source: "guide 000, DCR Italy Video iOS SDK, Create Content Metadata")

    static let isOfMarket = true

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .load(let metadata) = event, player.market == .it, let value = metadata.text("adloadtype")
        else { return }
        findings.run()
        if value != "2" { findings.find("adloadtype is \(shown(value))") }
    }
}
