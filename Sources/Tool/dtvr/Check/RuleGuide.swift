import NielsenID3
import PlayerCertification
import PlayerSession
import StreamHealth

/// The text that `--list` and `--explain` print, of checks, or of rules or findings for players.
struct RuleGuide {
    let policy: HealthPolicy
    let terminalWidth: Int?
    private let declarations: [CheckDeclaration]
    /// The checks of the second section of the table; empty without one.
    private let liveDeclarations: [CheckDeclaration]
    /// The rules of formats, which are not in the table.
    private let formatRules: [ReportedRule]
    /// The findings of a session; empty for checks and rules.
    private let findings: [FindingReference.Entry]

    /// Returns the guide of the checks of streams; those of the monitor follow in a second section.
    static func checks(policy: HealthPolicy, terminalWidth: Int?) -> RuleGuide {
        RuleGuide(
            policy: policy, terminalWidth: terminalWidth, declarations: CheckRegistry.declarations,
            liveDeclarations: CheckRegistry.liveDeclarations, formatRules: ReportedRule.all, findings: [])
    }

    /// Returns the guide of the rules for the calls of players.
    static func rules(terminalWidth: Int?) -> RuleGuide {
        RuleGuide(
            policy: HealthPolicy(), terminalWidth: terminalWidth, declarations: RuleRegistry.declarations,
            liveDeclarations: [], formatRules: [], findings: [])
    }

    /// Returns the guide of the findings of a player's session.
    static func findings(terminalWidth: Int?) -> RuleGuide {
        RuleGuide(
            policy: HealthPolicy(), terminalWidth: terminalWidth, declarations: [], liveDeclarations: [],
            formatRules: [], findings: FindingReference.entries)
    }

    /// Prints what `--list` or `--explain` asks for, and returns whether one of them is given.
    ///
    /// - Parameter others: The settings that have no effect beside them; neither has an operand.
    func answers(_ context: CommandContext, refusing others: [Setting]) throws(UsageError) -> Bool {
        let topic: String
        let setting: Setting
        if context.invocation.isOn(.list) {
            (topic, setting) = ("list", .list)
        } else if let given = context.invocation[.explain] {
            (topic, setting) = (given, .explain)
        } else {
            return false
        }
        try context.refuseOperands()
        try context.refuse(others, "cannot be combined with \(setting.flag)")
        context.console.print(text(on: topic))
        return true
    }

    /// A table with one line per check: ID, worst status, title, and the limits with their defaults.
    var table: String {
        if !findings.isEmpty {
            return table(findings.map { (id: $0.finding.rawValue, details: "", text: $0.meaning) })
        }
        let table = lines(on: declarations)
        return liveDeclarations.isEmpty
            ? table : table + "\n\nIn the monitor only:\n\n" + lines(on: liveDeclarations)
    }

    private func lines(on checks: [CheckDeclaration]) -> String {
        table(
            checks.map { check in
                let limits = check.limits.map(Self.limit)
                let suffix = limits.isEmpty ? "" : " [\(limits.joined(separator: ", "))]"
                let details = WrappedText.padded(check.worst.rawValue, to: 6)
                return (id: check.id.rawValue, details: details, text: check.title + suffix)
            })
    }

    private func table(_ rows: [(id: String, details: String, text: String)]) -> String {
        let width = topics.map(\.count).max() ?? 0
        return rows.flatMap { row in
            let start = WrappedText.padded(row.id, to: width + 2) + row.details
            let text = row.text
            guard let terminalWidth else { return [start + text] }
            // Wrap under the ID if the rest of the line is too narrow.
            let indent = terminalWidth < start.count + 30 ? 8 : start.count
            let lines = WrappedText.lines(text, width: terminalWidth, indent: indent)
            return indent == start.count
                ? [start + (lines.first ?? "").dropFirst(indent)] + lines.dropFirst() : [start] + lines
        }
        .joined(separator: "\n")
    }

    /// The flag that sets a limit, with its default value.
    private static func limit(_ limit: HealthLimit) -> String {
        let setting = Setting(limit)
        return "\(setting.flag) \(setting.defaultText ?? "")"
    }

    /// The topics that `--explain` takes besides `list`.
    var topics: [String] {
        ["all"] + (declarations + liveDeclarations).map(\.id.rawValue) + formatRules.map(\.id)
            + findings.map(\.finding.rawValue)
    }

    /// The topics of checks.
    static let checkTopics = checks(policy: HealthPolicy(), terminalWidth: nil).topics
    /// The topics of rules for players.
    static let ruleTopics = rules(terminalWidth: nil).topics
    /// The topics of findings.
    static let findingTopics = findings(terminalWidth: nil).topics

    /// Returns the text for a topic: the ID of a check, a rule or a finding, `all`, or `list`.
    func text(on topic: String) -> String {
        if topic == "list" { return table }
        // The argument scanner accepts only the topics.
        let checks = (declarations + liveDeclarations).filter {
            topic == "all" || $0.id.rawValue == topic
        }
        let width = min(terminalWidth ?? HelpText.maximumWidth, HelpText.maximumWidth)
        let rules = formatRules.filter { topic == "all" || $0.id == topic }
        let texts =
            checks.map { $0.text(policy: policy, width: width) } + rules.map { $0.text(width: width) }
            + findings.filter { topic == "all" || $0.finding.rawValue == topic }.map {
                Self.text(of: $0, width: width)
            }
        return texts.map(Self.withoutLineEnds).joined(separator: "\n\n")
    }

    private static func text(of entry: FindingReference.Entry, width: Int) -> String {
        let lines = WrappedText.lines("\(entry.finding): \(entry.meaning)", width: width)
        let parts = [
            ("What is expected", entry.rule.expected), ("What to do", entry.action),
            ("Source", entry.rule.source),
        ]
        return (lines + parts.flatMap { ["", $0] + WrappedText.lines($1, width: width, indent: 4) })
            .joined(separator: "\n")
    }

    private static func withoutLineEnds(_ text: String) -> String {
        var text = text
        while text.last == "\n" { text.removeLast() }
        return text
    }
}
