import PlayerSession
import NielsenID3
import StreamHealth

/// `order.constant-metadata`: the metadata of the content stays the same until it ends, advertisements included.
struct OrderConstantMetadata: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("order.constant-metadata"), worst: .fail,
        notRun: "The log loads no content twice: play content with an advertisement in the middle.",
        expectation: "The metadata of the content stays the same until it ends, advertisements included",
        title: "The metadata of the content changes while it plays",
        meaning: """
            The parts of an episode between its advertisements are joined by their metadata. A difference makes them \
            different episodes.
            """,
        appearance: """
            `loadMetadata` with the same assetid and other values, before `end`.
            """,
        cause: """
            The app builds the object again after an advertisement, with the title of the page or the current time.
            """,
        action: """
            Keep the object of the content, and pass it again unchanged.
            """,
        source: "guide 001, Create Content Metadata; guide 004, Create Content Metadata")

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .load(let metadata) = event, PlayerTimeline.isSame(player.content, metadata),
            let content = player.content
        else { return }
        findings.run()
        let keys = Set((content.members + metadata.members).map { $0.key.lowercased() })
        let changed = keys.filter { content[$0] != metadata[$0] }.sorted()
        if !changed.isEmpty {
            findings.find(
                "these keys of the content have changed: \(changed.prefix(8).joined(separator: ", "))")
        }
    }
}
