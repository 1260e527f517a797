import NielsenID3
import PlayerSession
import StreamHealth

/// `metadata.spelling`: keys are spelled as in the guides.
struct MetadataSpelling: FindingRule {
    static let declaration = CheckDeclaration(
        CheckID("metadata.spelling"), worst: .warn,
        notRun: "The log has no metadata: play content.",
        expectation: "Keys are spelled as in the guides",
        title: "The capitals of a key differ from those in the guides",
        meaning: """
            This library does not tell capitals apart. Others may ignore the key.
            """,
        appearance: """
            The finding `key.case`.
            """,
        cause: """
            A typing error.
            """,
        action: """
            Spell the key as the guide does.
            """,
        source: "guide 001, Configure Metadata; guide 002, 5.3")

    static let sentences = [
        "key.case": "the capitals of a key differ from those in the guides"
    ]

    static func applies(to call: EvaluatedCall) -> Bool {
        call.events.contains { if case .load = $0 { true } else if case .update = $0 { true } else { false } }
            || call.name == .play || call.name == .initialize
    }
}
