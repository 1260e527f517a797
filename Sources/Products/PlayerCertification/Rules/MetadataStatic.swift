import MarketProfiles
import NielsenID3
import PlayerSession
import StreamHealth

/// `metadata.static`: a static asset has a section.
struct MetadataStatic: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("metadata.static"), worst: .fail,
        notRun: "The log has no static asset: open a page.",
        expectation: "A static asset has a section",
        title: "A static asset has no section",
        meaning: """
            A page is counted by its section. Without one the page view belongs to nothing.
            """,
        appearance: """
            `loadMetadata` or `staticStart` of type static without `section`.
            """,
        cause: """
            The metadata of content is passed for a page.
            """,
        action: """
            Pass `section`, with the name of the part of the app.
            """,
        source: "guide 001, Configure Static Metadata; guide 003, Static Metadata")

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .load(let metadata) = event, PlayerTimeline.type(of: metadata) == .static else { return }
        findings.run()
        if metadata.text("section") == nil { findings.find("the static asset has no section") }
    }
}
