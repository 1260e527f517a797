import NielsenID3
import PlayerSession
import StreamHealth

/// `against.foreign`: each tag is from the stream that was played.
struct AgainstForeign: StreamRule {
    static let declaration = CheckDeclaration(
        CheckID("against.foreign"), worst: .fail,
        notRun: "No tag was compared: add --against STREAM, with the stream that the app played.",
        expectation: "Each tag is from the stream that was played",
        title: "A tag is not from the stream",
        meaning: """
            The tag belongs to another stream: of another channel, another run of the encoder, or a test.
            """,
        appearance: """
            The stream has neither the tag nor one that it could be made of.
            """,
        cause: """
            The player still has segments of the channel before, the stream is not the one that was played, or tags \
            come from a file.
            """,
        action: """
            Compare with the stream of the same time; drop the tags of a stream when the channel changes.
            """,
        source: "this library: the tags of the stream")

    static func sentence(for match: StreamMatch) -> String? {
        match == .foreign ? "the stream has no such tag" : nil
    }
}
