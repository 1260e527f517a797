import NielsenID3
import PlayerSession
import StreamHealth

/// `against.twice`: a tag is handed over once while it is played.
struct AgainstTwice: StreamRule {
    static let declaration = CheckDeclaration(
        CheckID("against.twice"), worst: .fail,
        notRun: "No tag was compared: add --against STREAM, with the stream that the app played.",
        expectation: "A tag is handed over once while it is played",
        title: "A tag was handed over again without a seek",
        meaning: """
            The minute of the tag seems to be watched twice. A duplicate of the tag directly before has the rule \
            `tag.once`.
            """,
        appearance: """
            A tag of the stretch comes again, after others, without a seek back.
            """,
        cause: """
            Tags of several renditions are handed over, or those of a playlist that is read again.
            """,
        action: """
            Tell tags apart by their bytes and their time.
            """,
        source: "this library: the tags of the stream")

    static func sentence(for match: StreamMatch) -> String? {
        match == .twice ? "the tag was handed over before, without a seek since" : nil
    }
}
