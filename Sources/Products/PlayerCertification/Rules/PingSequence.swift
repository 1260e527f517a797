import NielsenID3
import StreamHealth

/// `ping.sequence`: the times of pings are in order, and each ping is sent once.
struct PingSequence: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("ping.sequence"), worst: .warn,
        notRun: "The input has no ping: add the HAR file of a proxy, or a list of addresses.",
        expectation: "The times of pings are in order, and each ping is sent once",
        title: "Pings are out of order, or sent twice",
        meaning: """
            A collection facility orders the pings of a session by their times, and drops those that it cannot \
            order.
            """,
        appearance: """
            A ping is created before its session or after it is sent, before the previous ping of its session, or \
            has the same `rnd` as that one without being a retry.
            """,
        cause: """
            The clock of the device was set during playback, or a proxy repeats requests.
            """,
        action: """
            Record a session without changing the clock, and replay no requests in the proxy.
            """,
        source: "guide 004, Example of SDK ping; the order: field practice")

    /// The maximum number of sessions whose last ping is known.
    private static let maximumSessionCount = 1_000

    private struct Last: Sendable {
        let created: Double
        let random: String?
    }

    private var last: [String: Last] = [:]

    mutating func observe(_ ping: Ping, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard let created = ping.number("c61") else { return }
        findings.run()
        if let start = ping.number("c64"), created < start {
            findings.find("the ping is created \(number(start - created)) s before its session")
        }
        if let sent = ping.number("c62"), sent < created {
            findings.find("the ping is created \(number(created - sent)) s after it is sent")
        }
        let random = ping.text("rnd")
        if let previous = last[ping.session] {
            if created < previous.created {
                let distance = number(previous.created - created)
                findings.find("the ping is created \(distance) s before the previous one of its session")
            }
            if let random, random == previous.random, !ping.isRetry {
                findings.find("the previous ping of the session is sent again")
            }
        }
        if last.count >= Self.maximumSessionCount, last[ping.session] == nil { last = [:] }
        last[ping.session] = Last(created: created, random: random)
    }
}
