import StreamHealth

/// What `dtvr check --list` and `--explain` print.
struct CheckGuide {
    let policy: HealthPolicy
    let terminalWidth: Int?

    /// A line a check: id, worst status, meaning, and the limits with their defaults.
    var table: String {
        let width = CheckID.allCases.map(\.rawValue.count).max() ?? 0
        return CheckID.allCases.flatMap { id in
            let explanation = id.explanation
            let limits = explanation.limits.compactMap(Self.limit)
            let suffix = limits.isEmpty ? "" : " [\(limits.joined(separator: ", "))]"
            let start =
                WrappedText.padded(id.rawValue, to: width + 2)
                + WrappedText.padded(explanation.worst.rawValue, to: 6)
            let text = explanation.title + suffix
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
        guard let setting = SettingName(rawValue: limit.rawValue)?.setting else { return nil }
        return "\(setting.flag) \(setting.defaultText ?? "")"
    }

    /// The text on what the user asked for: one id, all of them, or a list of what there is.
    func text(on topic: String) -> String {
        if topic == "list" { return table }
        // The scanner of arguments lets nothing else through than an id or "all".
        let ids = CheckID.allCases.filter { topic == "all" || $0.rawValue == topic }
        let width = min(terminalWidth ?? HelpText.maximumWidth, HelpText.maximumWidth)
        return ids.map { Self.withoutLineEnds($0.explanation.text(policy: policy, width: width)) }
            .joined(separator: "\n\n")
    }

    private static func withoutLineEnds(_ text: String) -> String {
        var text = text
        while text.last == "\n" { text.removeLast() }
        return text
    }
}
