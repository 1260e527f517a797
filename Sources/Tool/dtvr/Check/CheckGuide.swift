import NielsenID3
import StreamHealth

/// What `dtvr check --list` and `--explain` print.
struct CheckGuide {
    let policy: HealthPolicy
    let terminalWidth: Int?

    /// A line a check: id, worst status, meaning, and the limits with their defaults; those of the monitor last.
    var table: String {
        lines(on: CheckRegistry.declarations) + "\n\nIn the monitor only:\n\n"
            + lines(on: CheckRegistry.liveDeclarations)
    }

    private func lines(on checks: [CheckDeclaration]) -> String {
        let width =
            (CheckRegistry.declarations + CheckRegistry.liveDeclarations).map(\.id.rawValue.count).max() ?? 0
        return checks.flatMap { check in
            let limits = check.limits.compactMap(Self.limit)
            let suffix = limits.isEmpty ? "" : " [\(limits.joined(separator: ", "))]"
            let start =
                WrappedText.padded(check.id.rawValue, to: width + 2)
                + WrappedText.padded(check.worst.rawValue, to: 6)
            let text = check.title + suffix
            guard let terminalWidth else { return [start + text] }
            // Below the id where there is little room beside it.
            let indent = terminalWidth < start.count + 30 ? 8 : start.count
            let lines = WrappedText.lines(text, width: terminalWidth, indent: indent)
            return indent == start.count
                ? [start + (lines.first ?? "").dropFirst(indent)] + lines.dropFirst() : [start] + lines
        }
        .joined(separator: "\n")
    }

    /// A limit as the user sets it, with its default.
    private static func limit(_ limit: HealthLimit) -> String? {
        guard let setting = SettingTable.setting(named: limit.name) else { return nil }
        return "\(setting.flag) \(setting.defaultText ?? "")"
    }

    /// The text on what the user asked for: one id, all of them, or a list of what there is.
    func text(on topic: String) -> String {
        if topic == "list" { return table }
        // The scanner of arguments lets nothing else through than an id or "all".
        let checks = (CheckRegistry.declarations + CheckRegistry.liveDeclarations).filter {
            topic == "all" || $0.id.rawValue == topic
        }
        let width = min(terminalWidth ?? HelpText.maximumWidth, HelpText.maximumWidth)
        return checks.map { Self.withoutLineEnds($0.text(policy: policy, width: width)) }
            .joined(separator: "\n\n")
    }

    private static func withoutLineEnds(_ text: String) -> String {
        var text = text
        while text.last == "\n" { text.removeLast() }
        return text
    }
}
