/// Fish completions; fish itself handles the form `--option=value`.
enum FishCompletion {
    static var script: String {
        let commands =
            CommandRegistry.summaries
        let names = commands.map(\.0).joined(separator: " ")
        var lines = ["# Completions of dtvr for fish."]
        for (name, summary) in commands {
            lines.append(
                "complete -c dtvr -n 'not __fish_seen_subcommand_from \(names)' -f -a \(name) "
                    + "-d '\(quoted(summary))'")
        }
        let topics = CommandRegistry.declarations.map(\.name).joined(separator: " ")
        lines.append("complete -c dtvr -n '__fish_seen_subcommand_from help' -f -a '\(topics)'")
        for command in CommandRegistry.declarations {
            let condition = "-n '__fish_seen_subcommand_from \(command.name)'"
            for choice in command.operandChoices {
                lines.append("complete -c dtvr \(condition) -f -a \(choice)")
            }
            for setting in command.settings {
                lines.append(
                    "complete -c dtvr \(condition) -l \(setting.name)\(value(setting)) -d '\(quoted(setting.help))'"
                )
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func value(_ setting: Setting) -> String {
        if !setting.suggestions.isEmpty { return " -x -a '\(setting.suggestions.joined(separator: " "))'" }
        return switch setting.kind {
        case .toggle: ""
        case .path: " -r -F"
        case .text, .choice, .duration, .byteCount, .number, .decimal: " -x"
        }
    }

    private static func quoted(_ text: String) -> String { text.replacing("'", with: "\\'") }
}
