import NielsenID3
import PlayerSession
import StreamHealth

/// `start.init`: the app initializes the session before any other call, and that succeeds.
struct StartInit: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("start.init"), worst: .fail,
        notRun: "The log has no call.",
        expectation: "The app initializes the session before any other call, and that succeeds",
        title: "The session is not initialized",
        meaning: """
            Without a successful `init` the real App SDK measures nothing. This library stores tags anyway, so that \
            the loss is not noticed in a test.
            """,
        appearance: """
            No `init` before the first call, or one whose outcome is `error` with the code 1007.
            """,
        cause: """
            The app calls the session before its own configuration has arrived, or passes an empty appid.
            """,
        action: """
            Call `init` once at the start of the app, with the appid that Nielsen has assigned.
            """,
        source: "guide 001, SDK Initialization; guide 002, 3.2")

    private var isInitialized = false
    private var isReported = false

    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard call.result.outcome != .unreadable else { return }
        findings.run()
        if call.name == .initialize {
            if call.result.outcome == .error {
                findings.find("init failed: the app's information has no appid")
            }
            isInitialized = true
        } else if !isInitialized, !isReported {
            isReported = true
            findings.find("the first call is not init")
        }
    }
}
