import PlayerSession
import NielsenID3
import StreamHealth

/// `ping.metadata`: the metadata of a ping conforms to the market's table.
struct PingMetadata: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("ping.metadata"), worst: .fail,
        notRun:
            "The input has no ping with the type of its asset: play content, and add the HAR file of a proxy.",
        expectation: "The metadata of a ping conforms to the market's table",
        title: "The metadata of a ping violates the market's table",
        meaning: """
            The ping is what a collection facility gets. A key that is blank in it, or has another form, is credited \
            to nothing.
            """,
        appearance: """
            A required key is missing or blank, or a value is too long, has invalid characters or is not an allowed \
            one. The type, the air date (blank in the example of the guide) and keys that pings do not have are not \
            compared.
            """,
        cause: """
            The app does not pass the key, or passes it in another form.
            """,
        action: """
            Correct the metadata of `loadMetadata`; the guide of the market has a table for each type of asset.
            """,
        source: """
            guides 001 and 003 to 004, the tables of metadata; guide 000, the page of the market; guide 004, Example \
            of SDK ping
            """)

    static let isOfMarket = true

    mutating func observe(_ ping: Ping, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard let market = player.market, ping.isContent || ping.isAd,
            let profile = MarketProfile.profile(of: market, platform: ping.platform)
        else { return }
        // A ping has no position of an advertisement.
        let ads = profile.assetTypes.filter(\.isAd)
        guard let type = ping.isAd ? ads.first : .content else { return }
        findings.run()
        for violation in MetadataValidator(profile).violations(ofAsset: ping.metadata(type: type)) {
            guard let key = Ping.metadataKeys.first(where: { $0.name == violation.key })?.key else {
                continue
            }
            if violation.kind == .missing {
                if violation.key == "airdate" { continue }
                findings.find("a required key is missing or blank, as \(key)", of: violation)
            } else {
                findings.find("a value is not one that the market allows, as \(key)", of: violation)
            }
        }
    }
}
