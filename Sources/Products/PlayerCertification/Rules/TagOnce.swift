import NielsenID3
import PlayerSession
import StreamHealth

/// `tag.once`: each tag is handed over once.
struct TagOnce: FindingRule {
    static let declaration = CheckDeclaration(
        CheckID("tag.once"), worst: .fail,
        notRun: "The log has no tag: play a stream with Nielsen tags.",
        expectation: "Each tag is handed over once",
        title: "A tag is handed over twice",
        meaning: """
            The same tag twice is one minute that seems to be watched twice. This library counts it as a repeat and \
            stores it once.
            """,
        appearance: """
            The finding `tag.repeat`.
            """,
        cause: """
            Audio and video segments carry the same tag, or a handler is registered twice.
            """,
        action: """
            Hand over each tag once; tell them apart by their bytes and their time.
            """,
        source: "guide 002, 5.4.3, sendID3")

    static let sentences = [
        "tag.repeat": "the tag is a duplicate of the one before"
    ]

    static func applies(to call: EvaluatedCall) -> Bool {
        call.events.contains { if case .tag = $0 { true } else { false } }
    }
}
