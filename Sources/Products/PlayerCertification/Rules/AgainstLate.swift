import NielsenID3
import PlayerSession
import StreamHealth
import TextForms

/// `against.late`: a tag is handed over within the length of its segment.
struct AgainstLate: StreamRule {
    static let declaration = CheckDeclaration(
        CheckID("against.late"), worst: .warn,
        notRun: "No tag was compared: add --against STREAM, with the stream that the app played.",
        expectation: "A tag is handed over within the length of its segment",
        title: "A tag was handed over late",
        meaning: """
            A late tag belongs to a picture that is no longer on the screen, and may come after the end of the \
            viewing session.
            """,
        appearance: """
            A tag comes later than others of the stretch, in relation to the playhead, by more than the length of \
            its segment.
            """,
        cause: """
            The app collects tags, and hands them over with a timer.
            """,
        action: """
            Hand over each tag in the callback of the player.
            """,
        source: "this library: the tags of the stream")

    static func sentence(for match: StreamMatch) -> String? {
        guard case .late(let seconds, let segment) = match else { return nil }
        return "the tag comes \(DecimalText.short(seconds)) s later than others, "
            + "and its segment has \(DecimalText.short(segment)) s"
    }
}
