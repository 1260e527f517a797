import PlayerSession
import NielsenID3
import StreamHealth

/// `ping.fpid`: the first-party ID of a ping is blank if it is disabled.
struct PingFirstPartyID: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("ping.fpid"), worst: .fail,
        notRun: "The input has no ping: add the HAR file of a proxy, or a list of addresses.",
        expectation: "The first-party ID of a ping is blank if it is disabled",
        title: "The first-party ID of a ping is wrong",
        meaning: """
            With `enableFpid` of false, the SDK deletes the first-party ID and leaves its value blank. Any other \
            value identifies a user who has not agreed to it.
            """,
        appearance: """
            The key `fp_id` is missing, has a word such as `null` for no value, has a value although `init` disables \
            it, or is blank beside times of an ID.
            """,
        cause: """
            The app passes `enableFpid` only after a restart, or an older SDK does not know it.
            """,
        action: """
            Pass `enableFpid` to `init`, and record the pings of a new installation.
            """,
        source:
            "guide 000, DCR Poland Video iOS, First Party ID (FPID); guide 004, Example of SDK ping (fp_id)")

    private static let times = ["fp_cr_tm", "fp_acc_tm", "fp_emm_tm"]

    mutating func observe(_ ping: Ping, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        findings.run()
        let value = ping["fp_id"]
        let subject = Finding.Subject(
            key: "fp_id", value: value.map { String($0.prefix(100)) }, expected: nil, source: nil)
        guard let value else { return findings.find("the key of the first-party ID is missing", subject) }
        let isDisabled = player.app?.text("enablefpid")?.lowercased() == "false"
        switch value.lowercased() {
        case "":
            for key in Self.times where ping.text(key) != nil {
                findings.find("\(key) has a value, and the first-party ID is blank")
            }
        case "null", "nil", "undefined", "na", "0", "false":
            findings.find("the first-party ID is a word for no value, and not blank", subject)
        default:
            if isDisabled { findings.find("the first-party ID is disabled, and not blank", subject) }
        }
    }
}
