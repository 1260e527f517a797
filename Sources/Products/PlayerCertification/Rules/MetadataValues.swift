import NielsenID3
import PlayerSession
import StreamHealth

/// `metadata.values`: the values of the metadata have the form that the market requires.
struct MetadataValues: FindingRule {
    static let declaration = CheckDeclaration(
        CheckID("metadata.values"), worst: .fail,
        notRun: "The log has no metadata: play content.",
        expectation: "The values of the metadata have the form that the market requires",
        title: "A value of the metadata is invalid",
        meaning: """
            A value that is too long or of another form is cut off or refused on its way, so that records of one \
            asset do not match.
            """,
        appearance: """
            The findings `key.length`, `key.alphabet`, `key.airdate`, `key.value`, `value.type` and `channel.too- \
            long`.
            """,
        cause: """
            Values are passed as the content management system has them.
            """,
        action: """
            Convert the value to the form in the table of the guide.
            """,
        source: "guides 001 and 003 to 004, the tables of metadata; guide 000, the page of the market")

    static let isOfMarket = true

    static let sentences = [
        "key.length": "a value is longer than the market allows",
        "key.alphabet": "an id has characters that the market does not allow",
        "key.airdate": "airdate is not a date in a form of the guides",
        "key.value": "a value is not one that the market allows",
        "value.type": "a value has the wrong type",
        "channel.too-long": "the name of the channel has more than 32 characters",
    ]

    static func applies(to call: EvaluatedCall) -> Bool {
        call.events.contains { if case .load = $0 { true } else if case .update = $0 { true } else { false } }
            || call.name == .play
    }
}
