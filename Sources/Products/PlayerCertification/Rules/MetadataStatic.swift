import PlayerSession
import NielsenID3
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

    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        for case .load(let metadata) in call.events where PlayerTimeline.type(of: metadata) == .static {
            findings.run()
            // The guide of some markets requires the key: `metadata.keys` has it.
            let isFound = call.result.details.contains {
                $0.id.rawValue == "key.missing" && $0.key == "section"
            }
            if metadata.text("section") == nil, !isFound { findings.find("the static asset has no section") }
        }
    }
}
