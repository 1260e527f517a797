import NielsenID3
import PlayerSession
import StreamHealth

/// `interruption.resume`: a call resumes playback after an interruption.
struct InterruptionResume: FindingRule {
    static let declaration = CheckDeclaration(
        CheckID("interruption.resume"), worst: .warn,
        notRun: "The log has no interruption: pause for 30 s.",
        expectation: "A call resumes playback after an interruption",
        title: "Playback resumes without a call",
        meaning: """
            After `stop` the SDK counts no tag until `play`, `loadMetadata` or a playhead, so that what follows is lost.
            """,
        appearance: """
            The finding `tag.after-stop`.
            """,
        cause: """
            The integration handles the event for pausing, and not the one for resuming.
            """,
        action: """
            Call `loadMetadata` when playback resumes, and then report playheads.
            """,
        source: "guide 001, Interruptions during playback; guide 004, Stop/Resume the Measurement")

    static let sentences = [
        "tag.after-stop": "playback continues without a call that resumes it"
    ]

    static func applies(to call: EvaluatedCall) -> Bool {
        [.pause, .stop].contains(call.name) || call.has("tag.after-stop")
    }
}
