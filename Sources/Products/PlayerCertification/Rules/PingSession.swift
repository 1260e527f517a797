import NielsenID3
import StreamHealth

/// `ping.session`: a ping has its app, its session and its times.
struct PingSession: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("ping.session"), worst: .fail,
        notRun: "The input has no ping: add the HAR file of a proxy, or a list of addresses.",
        expectation: "A ping has its app, its session and its times",
        title: "A ping lacks a key of its session",
        meaning: """
            Without these keys a collection facility cannot assign the ping to a session, or order it.
            """,
        appearance: """
            One of the keys `ci`, `sessionId`, `c59` (sesid), `c64` (starttm), `c61` (createtm), `c62` (sendTime) \
            and `rnd` is missing or blank.
            """,
        cause: """
            The SDK was not initialized when it sent the ping, or a proxy or a filter has removed keys.
            """,
        action: """
            Wait for the SDK before the first call, and compare the ping with that of the guide.
            """,
        source: "guide 004, Example of SDK ping")

    private static let keys: [(String, String?)] = [
        ("ci", nil), ("sessionId", nil), ("c59", "sesid"), ("c64", "starttm"), ("c61", "createtm"),
        ("c62", "sendTime"), ("rnd", nil),
    ]

    mutating func observe(_ ping: Ping, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        findings.run()
        for (key, name) in Self.keys where ping.text(key) == nil {
            let subject = Finding.Subject(
                key: key, value: nil, expected: name.map { "`\($0),` and a value" } ?? "a value", source: nil)
            findings.find("a key of the session is missing or blank", subject)
        }
    }
}
