/// The help of the tool and of each command, made from the tables.
struct HelpText {
    /// How wide lines are at most: longer ones are hard to read.
    static let maximumWidth = 100

    private let width: Int

    /// Help for a terminal of a width; nil for anything else.
    init(terminalWidth: Int? = nil) { width = min(terminalWidth ?? Self.maximumWidth, Self.maximumWidth) }

    func overview(version: String) -> String {
        var lines = wrapped(
            "dtvr \(version): Nielsen DTVR timed metadata in HLS streams, from the segment to the collector.")
        lines += ["", "usage: dtvr COMMAND [OPTION]... [OPERAND]...", ""]
        for command in CommandName.allCases { lines += row(command.rawValue, command.summary, first: 13) }
        lines += [
            "", "  dtvr COMMAND --help   what a command takes", "  dtvr --version        the version", "",
        ]
        lines.append("Exit status:")
        for status in ExitStatus.allCases { lines += row(String(status.rawValue), status.meaning, first: 5) }
        return lines.joined(separator: "\n")
    }

    func command(_ command: CommandName) -> String {
        var lines = [command.usage, ""]
        lines += wrapped(command.description)
        lines.append("")
        if !command.examples.isEmpty {
            for example in command.examples {
                lines.append("  \(example.call)")
                lines += wrapped(example.purpose, indent: 8)
            }
            lines.append("")
        }
        let names = SettingName.allCases.filter { $0.setting.commands.contains(command) }
        lines += names.filter { !$0.isLimit }.flatMap { self.lines(on: $0, of: command) }
        let limits = names.filter(\.isLimit)
        if !limits.isEmpty {
            lines += ["", "Limits, each of the check that it names:", ""]
            lines += limits.flatMap { self.lines(on: $0, of: command) }
        }
        lines.append("")
        lines += wrapped(
            """
            Each option can also be set by an environment variable (--max-age: DTVR_MAX_AGE) or by a line of the \
            configuration file (max-age = 10d). The option overrides the variable, and the variable overrides the \
            file.
            """)
        return lines.joined(separator: "\n")
    }

    private func lines(on name: SettingName, of command: CommandName) -> [String] {
        let setting = name.setting(of: command)
        let byDefault = setting.defaultText.map { " [default: \($0)]" } ?? ""
        return ["  \(setting.usage)"] + wrapped(setting.help + byDefault, indent: 8)
    }

    /// A name and what it stands for, in two columns, of which the first takes `first` characters.
    private func row(_ name: String, _ text: String, first: Int) -> [String] {
        let name = "  " + name + String(repeating: " ", count: max(1, first - name.count))
        let lines = wrapped(text, indent: first + 2)
        return [name + (lines.first ?? "").dropFirst(first + 2)] + lines.dropFirst()
    }

    private func wrapped(_ text: String, indent: Int = 0) -> [String] {
        WrappedText.lines(text, width: width, indent: indent)
    }
}
