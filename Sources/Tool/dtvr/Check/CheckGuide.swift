import NielsenID3
import StreamHealth

/// What `dtvr check --explain` prints.
enum CheckGuide {
    /// The text on what the user asked for: one id, all of them, or a list of what there is.
    static func text(on topic: String, policy: HealthPolicy) -> String {
        switch topic {
        case "list":
            let width = CheckRegistry.declarations.map(\.id.rawValue.count).max() ?? 0
            return CheckRegistry.declarations.map { check in
                let gap = String(repeating: " ", count: width - check.id.rawValue.count)
                return "\(check.id.rawValue)\(gap)  \(check.title)"
            }
            .joined(separator: "\n")
        default:
            // The scanner of arguments lets nothing else through than an id or "all".
            let checks = CheckRegistry.declarations.filter { topic == "all" || $0.id.rawValue == topic }
            return checks.map { $0.text(policy: policy, width: HelpText.width).trimmedEnd }
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
