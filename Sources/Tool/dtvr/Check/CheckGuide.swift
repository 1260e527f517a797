import StreamHealth

/// What `dtvr check --explain` prints.
enum CheckGuide {
    /// The text on what the user asked for: one id, all of them, or a list of what there is.
    static func text(on topic: String, policy: HealthPolicy) -> String {
        switch topic {
        case "list":
            let width = CheckID.allCases.map(\.rawValue.count).max() ?? 0
            return CheckID.allCases.map { id in
                let gap = String(repeating: " ", count: width - id.rawValue.count)
                return "\(id.rawValue)\(gap)  \(id.explanation.title)"
            }
            .joined(separator: "\n")
        default:
            // The scanner of arguments lets nothing else through than an id or "all".
            let ids = CheckID.allCases.filter { topic == "all" || $0.rawValue == topic }
            return ids.map { $0.explanation.text(policy: policy, width: HelpText.width).trimmedEnd }
                .joined(separator: "\n\n")
        }
    }
}

extension String {
    /// The text without line ends behind it.
    fileprivate var trimmedEnd: String {
        var text = self
        while text.last == "\n" { text.removeLast() }
        return text
    }
}
