import NielsenID3
import PlayerSession
import StreamHealth

/// `metadata.keys`: the metadata has the keys that the market requires for its type.
struct MetadataKeys: FindingRule {
    static let declaration = CheckDeclaration(
        CheckID("metadata.keys"), worst: .fail,
        notRun: "The log has no metadata: play content.",
        expectation: "The metadata has the keys that the market requires for its type",
        title: "A required key is missing",
        meaning: """
            An asset without a required key is not credited, or credited to nothing.
            """,
        appearance: """
            The finding `key.missing` of `loadMetadata`.
            """,
        cause: """
            The content management system has no value, or the app uses the keys of another market.
            """,
        action: """
            Add the key; the guide of the market has a table for each type of asset.
            """,
        source: "guides 001 and 003 to 004, the tables of metadata; guide 000, the page of the market")

    static let isOfMarket = true

    static let sentences = [
        "key.missing": "a key is missing that the market requires for this asset"
    ]

    static func applies(to call: EvaluatedCall) -> Bool {
        call.events.contains { if case .load = $0 { true } else if case .update = $0 { true } else { false } }
    }
}
