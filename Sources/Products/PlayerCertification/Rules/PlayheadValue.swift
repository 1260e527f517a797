import NielsenID3
import PlayerSession
import StreamHealth

/// `playhead.value`: a playhead is a whole number of seconds, 0 or more.
struct PlayheadValue: FindingRule {
    static let declaration = CheckDeclaration(
        CheckID("playhead.value"), worst: .fail,
        notRun: "The log has no playhead: play content.",
        expectation: "A playhead is a whole number of seconds, 0 or more",
        title: "A playhead is not a whole number of seconds",
        meaning: """
            The SDK takes whole seconds. It drops a negative position, and misreads milliseconds.
            """,
        appearance: """
            The findings `playhead.invalid`, `playhead.milliseconds` and `value.type` of calls with a position.
            """,
        cause: """
            The position of the player is passed unchanged: as a fraction, in milliseconds, or as NaN before the \
            media is loaded.
            """,
        action: """
            Round the position to whole seconds, and report none before the media is loaded.
            """,
        source: "guide 001, SDK Events; guide 004, playheadPosition")

    static let sentences = [
        "playhead.invalid": "the playhead is not a number, or is negative",
        "playhead.milliseconds": "the playhead is in milliseconds",
        "value.type": "the playhead is not a whole number",
    ]

    static func applies(to call: EvaluatedCall) -> Bool {
        [.playheadPosition, .setPlayheadPosition, .pause, .stop, .end, .play, .trackEvent].contains(call.name)
    }
}
