import NielsenID3
import StreamHealth

/// `ping.length`: a ping has at most 2,000 characters.
struct PingLength: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("ping.length"), worst: .fail,
        notRun: "The input has no ping: add the HAR file of a proxy, or a list of addresses.",
        expectation: "A ping has at most 2,000 characters",
        title: "A ping has more than 2,000 characters",
        meaning: """
            Browsers, proxies and servers cut off or refuse longer addresses.
            """,
        appearance: """
            The address of a ping has more than 2,000 characters. A form in the body counts as a part of it.
            """,
        cause: """
            A long title, or keys of the app with long values.
            """,
        action: """
            Shorten the metadata, in particular program, title and the custom segments.
            """,
        source: "guide 004, Create ad metadata, URL Character Limit")

    private static let maximumCharacterCount = 2_000

    mutating func observe(_ ping: Ping, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        findings.run()
        if ping.characterCount > Self.maximumCharacterCount {
            findings.find("the ping has \(ping.characterCount) characters")
        }
    }
}
