import NielsenID3
import PlayerSession
import StreamHealth

/// `order.calls`: every call is one of the guides, in a state in which they have it.
struct OrderCalls: FindingRule {
    static let declaration = CheckDeclaration(
        CheckID("order.calls"), worst: .warn,
        notRun: "The log has no call.",
        expectation: "Every call is one of the guides, in a state in which they have it",
        title: "A call is unknown, or comes in the wrong state",
        meaning: """
            The SDK ignores such a call, so that the app relies on something that does not happen.
            """,
        appearance: """
            The findings `call.unknown`, `call.out-of-order`, `play.heartbeat` and `not.measured`.
            """,
        cause: """
            `stop` when nothing plays, `play` as a timer, or a name that the guides do not have.
            """,
        action: """
            Compare the calls with the sequence in the guide.
            """,
        source: "guide 001, Life cycle of SDK instance; guide 002, 5.4.3")

    static let sentences = [
        "call.unknown": "the call is unknown",
        "call.out-of-order": "the call does not fit the state of playback",
        "play.heartbeat": "play is called again during playback",
        "queue.overflow": "too many calls waited for the configuration",
        "not.measured": "the content of the call is not kept",
    ]

    static func applies(to call: EvaluatedCall) -> Bool {
        call.result.outcome != .unreadable && call.result.outcome != .discarded
    }
}
