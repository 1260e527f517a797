import NielsenID3
import PlayerSession
import StreamHealth
import TextForms

/// `against.missing`: each tag of the stream that was played is handed over.
struct AgainstMissing: StreamRule {
    static let declaration = CheckDeclaration(
        CheckID("against.missing"), worst: .fail,
        notRun: "No tag was compared: add --against STREAM, with the stream that the app played.",
        expectation: "Each tag of the stream that was played is handed over",
        title: "A tag of the stream was never handed over",
        meaning: """
            The minute of the tag is not credited. Tags that are missing in the middle of playback are lost in the \
            app, not in the stream.
            """,
        appearance: """
            A tag of the stream between two that were handed over, or between the last one and the end of playback, \
            is not in the log.
            """,
        cause: """
            The player reports a tag only if it is presented, drops tags of some renditions, or the handler is \
            registered late.
            """,
        action: """
            Find the tag in the callbacks of the player. Register for timed metadata before playback begins.
            """,
        source: "this library: the tags of the stream")

    static func sentence(for match: StreamMatch) -> String? {
        guard case .missing(let position, _) = match else { return nil }
        return "the tag at \(DecimalText.clock(position)) of the stream was not handed over"
    }
}
