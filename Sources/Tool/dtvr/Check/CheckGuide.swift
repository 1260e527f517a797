import NielsenID3
import StreamHealth

/// The text that `dtvr check --list` and `--explain` print.
struct CheckGuide {
    let policy: HealthPolicy
    let terminalWidth: Int?

    /// A table with one line per check: ID, worst status, title, and the limits with their defaults.
    ///
    /// The checks of the monitor follow in a second section.
    var table: String {
        lines(on: CheckRegistry.declarations) + "\n\nIn the monitor only:\n\n"
            + lines(on: CheckRegistry.liveDeclarations)
    }

    private func lines(on checks: [CheckDeclaration]) -> String {
        let width =
            (CheckRegistry.declarations + CheckRegistry.liveDeclarations).map(\.id.rawValue.count).max() ?? 0
        return checks.flatMap { check in
            let limits = check.limits.map(Self.limit)
            let suffix = limits.isEmpty ? "" : " [\(limits.joined(separator: ", "))]"
            let start =
                WrappedText.padded(check.id.rawValue, to: width + 2)
                + WrappedText.padded(check.worst.rawValue, to: 6)
            let text = check.title + suffix
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
    static var topics: [String] {
        ["all"] + (CheckID.all + CheckID.ofMonitorOnly).map(\.rawValue) + ReportedRule.all.map(\.id)
    }

    /// Returns the text for a topic: the ID of a check or of a rule, `all`, or `list`.
    func text(on topic: String) -> String {
        if topic == "list" { return table }
        // The argument scanner accepts only the topics.
        let checks = (CheckRegistry.declarations + CheckRegistry.liveDeclarations).filter {
            topic == "all" || $0.id.rawValue == topic
        }
        let width = min(terminalWidth ?? HelpText.maximumWidth, HelpText.maximumWidth)
        let rules = ReportedRule.all.filter { topic == "all" || $0.id == topic }
        let texts = checks.map { $0.text(policy: policy, width: width) } + rules.map { $0.text(width: width) }
        return texts.map(Self.withoutLineEnds).joined(separator: "\n\n")
    }

    private static func withoutLineEnds(_ text: String) -> String {
        var text = text
        while text.last == "\n" { text.removeLast() }
        return text
    }
}
