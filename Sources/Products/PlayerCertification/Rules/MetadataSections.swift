import PlayerSession
import NielsenID3
import StreamHealth

/// `metadata.sections`: an app has at most 25 sections.
struct MetadataSections: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("metadata.sections"), worst: .fail,
        notRun: "The log has no section: open a page.",
        expectation: "An app has at most 25 sections",
        title: "An app has more than 25 sections",
        meaning: """
            Values beyond the limit are not reported apart.
            """,
        appearance: """
            More than 25 different values of `section`.
            """,
        cause: """
            The address or the title of the page is passed as its section.
            """,
        action: """
            Use the parts of the app, not its pages.
            """,
        source: "guide 001, Key Aggregation Limit; guide 003, Static Metadata")

    private var sections: Set<String> = []

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .load(let metadata) = event, let section = metadata.text("section") else { return }
        findings.run()
        guard sections.count <= 25, sections.insert(section).inserted, sections.count == 26 else { return }
        findings.find("\(shown(section)) is the 26th section")
    }
}
