import PlayerSession
import NielsenID3
import StreamHealth

/// `page.vars`: the `vars` of an AMP page have the keys and values of the guide.
struct PageVars: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("page.vars"), worst: .fail,
        notRun:
            "The input has no `vars` of an AMP page in Italy: add the JSON of its `amp-analytics` element.",
        expectation: "The `vars` of an AMP page have the keys and values of the guide",
        title: "The `vars` of an AMP page are incomplete or wrong",
        meaning: """
            A page view without these keys is credited to nothing, or not to the AMP pages of the site.
            """,
        appearance: """
            A required key is missing, a value is not one that the guide allows, or `apid` begins with `P` or `T` as \
            that of an SDK.
            """,
        cause: """
            The values of the SDK are copied to the page.
            """,
        action: """
            Use the keys in the table of the guide, with the ID without its prefix and `Google AMP` in `segC`.
            """,
        source: "guide 000, DCR Italy Static AMP, Metadata keys")

    mutating func observe(page: Metadata, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard player.market == .it else { return }
        findings.run()
        let validator = MetadataValidator(.italyAMP)
        let ofApp = validator.violations(ofApp: page)
        for violation in ofApp + validator.violations(ofAsset: page).filter({ !ofApp.contains($0) }) {
            findings.find(
                violation.kind == .missing
                    ? "a required key is missing" : "a key or a value is not as in the guide",
                of: violation)
        }
        if let id = page.text("apid"), let first = id.first, first == "P" || first == "T" {
            let subject = Finding.Subject(
                key: "apid", value: String(id.prefix(100)), expected: "an ID without `P` or `T`", source: nil)
            findings.find("the ID has the prefix of an SDK", subject)
        }
    }
}
