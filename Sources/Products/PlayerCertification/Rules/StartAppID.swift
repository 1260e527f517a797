import NielsenID3
import PlayerSession
import StreamHealth

/// `start.app-id`: the appid is a T-appid for tests, or a P-appid for production.
struct StartAppID: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("start.app-id"), worst: .warn,
        notRun: "The log has no init with an appid: record it from the start of the app.",
        expectation: "The appid is a T-appid for tests, or a P-appid for production",
        title: "The appid is neither one for tests nor one for production",
        meaning: """
            Nielsen assigns two ids to an app: one that begins with T for tests and certification, and one that \
            begins with P for the release.
            """,
        appearance: """
            An appid that does not begin with T or P, followed by a GUID.
            """,
        cause: """
            A placeholder that was left in the code, or another id.
            """,
        action: """
            Use the T-appid until the app is certified, and the P-appid in the release.
            """,
        source: "guide 002, 2.3 and 3.2")

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .initialize(let app) = event, let id = app.text("appid") else { return }
        findings.run()
        if !Self.isAssigned(id) { findings.find("the appid is not T or P and a GUID of 36 characters") }
    }

    private static func isAssigned(_ id: String) -> Bool {
        let parts = id.dropFirst().split(separator: "-", omittingEmptySubsequences: false)
        guard id.first == "T" || id.first == "P", parts.map(\.count) == [8, 4, 4, 4, 12] else { return false }
        return parts.allSatisfy { $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } }
    }
}
