import NielsenID3
import StreamHealth

/// `ping.opt-out`: a ping says whether the user has opted out.
struct PingOptOut: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("ping.opt-out"), worst: .fail,
        notRun: "The input has no ping: add the HAR file of a proxy, or a list of addresses.",
        expectation: "A ping says whether the user has opted out",
        title: "The opt-out mark of a ping is missing or wrong",
        meaning: """
            Measurement may continue after an opt-out only if each ping is marked. An unmarked ping uses data \
            against the choice of the user.
            """,
        appearance: """
            The key `uoo` is missing, its value is not blank, 0, 1, false or true, or it is not 1 or true although \
            the log says that the user has opted out.
            """,
        cause: """
            The app does not pass the choice of the user on, or a proxy has removed the key.
            """,
        action: """
            Pass the choice to `userOptOut`, and record the pings again.
            """,
        source: """
            guide 004, Example of SDK ping (uoo); guide 001, SDK Events, API version 5.1 and above (marked as \
            opted-out ping)
            """)

    mutating func observe(_ ping: Ping, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        findings.run()
        guard let isOptedOut = ping.isOptedOut else {
            let subject = Finding.Subject(
                key: "uoo", value: ping["uoo"].map { String($0.prefix(100)) },
                expected: "a blank value, 0, 1, false or true", source: nil)
            return findings.find("the opt-out mark is missing or invalid", subject)
        }
        if player.isOptedOut, !isOptedOut {
            findings.find("the user has opted out, and the ping is not marked")
        }
    }
}
