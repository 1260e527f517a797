import PlayerSession
import NielsenID3
import StreamHealth

/// `log.readable`: every line of the log can be read.
struct LogReadable: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("log.readable"), worst: .warn,
        notRun: "The log has no line.",
        expectation: "Every line of the log can be read",
        title: "A line of the log cannot be read",
        meaning: """
            The line is not a JSON object with a call or a record, nor an address. Or it has more than 4 MiB, or \
            belongs to the session after the thousandth. In a HAR file, an entry counts as a line. It is left out \
            of the judgement.
            """,
        appearance: """
            A finding with the number of the line.
            """,
        cause: """
            A log that was cut off, or lines of another program in the same file.
            """,
        action: """
            Write the log to a separate file, with the option `log` or `nol_devDebug`.
            """,
        source: "this library, docs/players.md")

    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        findings.run()
        if call.result.outcome == .unreadable { findings.find("the line cannot be read, and is left out") }
    }

    mutating func observe(_ ping: Ping, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        findings.run()
    }

    mutating func observe(page: Metadata, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        findings.run()
    }
}
