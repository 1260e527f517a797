import NielsenID3
import PlayerSession
import StreamHealth

/// `start.debug`: the debug flag is off with a P-appid.
struct StartDebug: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("start.debug"), worst: .fail,
        notRun: "The log has no init with a P-appid: certify a log of the release as well.",
        expectation: "The debug flag is off with a P-appid",
        title: "The debug flag is on in production",
        meaning: """
            The flag makes the SDK write the data of a user to the log of the device. The guides allow it in tests \
            only.
            """,
        appearance: """
            `nol_devDebug` or `nol_sdkDebug` in an `init` whose appid begins with P.
            """,
        cause: """
            The flag of the development build was left in the release.
            """,
        action: """
            Remove the flag from the information of the app in release builds.
            """,
        source: "guide 001, Going Live; guide 004, Going Live")

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .initialize(let app) = event, app.text("appid")?.hasPrefix("P") == true else { return }
        findings.run()
        for key in ["nol_devDebug", "nol_sdkDebug"] where app.text(key.lowercased()) != nil {
            findings.find("\(key) is set, and the appid is one for production")
        }
    }
}
