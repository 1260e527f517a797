import NielsenID3
import PlayerSession
import StreamHealth

/// `tag.after-end`: no tag comes after `end`.
struct TagAfterEnd: FindingRule {
    static let declaration = CheckDeclaration(
        CheckID("tag.after-end"), worst: .fail,
        notRun: "The log has no end: play content to its end.",
        expectation: "No tag comes after `end`",
        title: "A tag comes after `end`",
        meaning: """
            The viewing session is over. The tag opens another one, without a viewer.
            """,
        appearance: """
            The finding `tag.after-end`.
            """,
        cause: """
            The player reads ahead, and its tags are handed over when they are read.
            """,
        action: """
            Stop handing over tags at `end`, or pass their media time.
            """,
        source: "guide 002, 3.4; field practice")

    static let sentences = [
        "tag.after-end": "the tag comes after the end of the content"
    ]

    static func applies(to call: EvaluatedCall) -> Bool {
        call.name == .end || call.events.contains { if case .end = $0 { true } else { false } }
            || call.has("tag.after-end")
    }
}
