import NielsenID3
import PlayerSession
import StreamHealth
import TextForms

/// `against.altered`: a tag has the bytes that the stream has.
struct AgainstAltered: StreamRule {
    static let declaration = CheckDeclaration(
        CheckID("against.altered"), worst: .fail,
        notRun: "No tag was compared: add --against STREAM, with the stream that the app played.",
        expectation: "A tag has the bytes that the stream has",
        title: "A tag was altered on its way",
        meaning: """
            The collector cannot decrypt the tag, so its minute is not credited. Lost zeros of an offset have the \
            rule `tag.form`.
            """,
        appearance: """
            The stream has no tag with these bytes, and one with the same sequence and time, or with few \
            differences.
            """,
        cause: """
            The bytes are converted to text in the wrong encoding, changed to lower case, or cut off.
            """,
        action: """
            Pass the bytes of the tag as the player provides them.
            """,
        source: "this library: the tags of the stream")

    static func sentence(for match: StreamMatch) -> String? {
        guard case .altered(let position) = match else { return nil }
        return "the tag at \(DecimalText.clock(position)) of the stream was altered"
    }
}
