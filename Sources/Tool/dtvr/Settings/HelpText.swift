/// The help of the tool and of each command, made from the tables.
enum HelpText {
    static let width = 100

    static func overview(version: String) -> String {
        var lines = [
            "dtvr \(version): Nielsen DTVR timed metadata in HLS streams, from the segment to the collector.",
            "",
            "usage: dtvr COMMAND [OPTION]... [OPERAND]...", "",
        ]
        for command in CommandName.allCases {
            lines.append("  " + padded(command.rawValue, to: 13) + command.summary)
        }
        lines += [
            "", "  dtvr COMMAND --help   what a command takes", "  dtvr --version        the version", "",
            "Exit status: 0 done; 1 a check failed; 2 usage; 3 no input could be read; 4 the store; 5 delivery;",
            "130 interrupted.",
        ]
        return lines.joined(separator: "\n")
    }

    static func command(_ command: CommandName) -> String {
        var lines = [command.usage, ""]
        lines += wrapped(command.description, indent: 0)
        lines.append("")
        if !command.examples.isEmpty {
            for example in command.examples {
                lines.append("  \(example.call)")
                lines += wrapped(example.purpose, indent: 8)
            }
            lines.append("")
        }
        let settings = SettingTable.settings(of: command)
        lines += settings.filter { !$0.isLimit }.flatMap { self.lines(on: $0) }
        let limits = settings.filter(\.isLimit)
        if !limits.isEmpty {
            lines += ["", "Limits, each of the check that it names:", ""]
            lines += limits.flatMap { self.lines(on: $0) }
        }
        lines += [
            "", "Each option may also be set by a variable (--max-age: DTVR_MAX_AGE) or as a line of the",
            "configuration file (max-age = 10d); the flag goes before the variable, the variable before the file.",
        ]
        return lines.joined(separator: "\n")
    }

    private static func lines(on setting: Setting) -> [String] {
        let byDefault = setting.defaultText.map { " [default: \($0)]" } ?? ""
        return ["  \(setting.usage)"] + wrapped(setting.help + byDefault, indent: 8)
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }

    private static func wrapped(_ text: String, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, indent + line.count + 1 + word.count > width {
                lines.append(margin + line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return lines + (line.isEmpty ? [] : [margin + line])
    }
}
