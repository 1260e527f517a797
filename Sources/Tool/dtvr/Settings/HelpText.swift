/// The help texts of the tool and its commands, generated from the declarations of the commands.
struct HelpText {
    /// The maximum line width, because longer lines are hard to read.
    static let maximumWidth = 100

    private let width: Int

    /// Creates the help for a terminal width; nil selects the maximum width.
    init(terminalWidth: Int? = nil) { width = min(terminalWidth ?? Self.maximumWidth, Self.maximumWidth) }

    func overview(version: String) -> String {
        var lines = wrapped(
            "dtvr \(version): Nielsen DTVR timed metadata in HLS streams, from the segment to the collector.")
        lines += [""] + usage(UsageError.generalUsage) + [""]
        for command in CommandRegistry.declarations { lines += row(command.name, command.summary, first: 13) }
        lines.append("")
        lines += row("dtvr COMMAND --help", "the help of a command", first: 21)
        lines += row("dtvr --version", "the version", first: 21)
        lines += ["", "Exit status:"]
        for status in ExitStatus.allCases { lines += row(String(status.rawValue), status.meaning, first: 5) }
        return lines.joined(separator: "\n")
    }

    func command(_ command: CommandDeclaration) -> String {
        var lines = usage(command.usage) + [""]
        lines += wrapped(command.description)
        lines.append("")
        if !command.examples.isEmpty {
            for example in command.examples {
                lines.append("  \(example.call)")
                lines += wrapped(example.purpose, indent: 8)
            }
            lines.append("")
        }
        lines += command.settings.filter { !$0.isLimit }.flatMap { self.lines(on: $0) }
        let limits = command.settings.filter(\.isLimit)
        if !limits.isEmpty {
            lines += ["", "Limits of the checks:", ""]
            lines += limits.flatMap { self.lines(on: $0) }
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

    private func lines(on setting: Setting) -> [String] {
        let byDefault = setting.defaultText.map { " [default: \($0)]" } ?? ""
        return ["  \(setting.usage)"] + wrapped(setting.help + byDefault, indent: 8)
    }

    private func usage(_ text: String) -> [String] { WrappedText.lines(text, width: width, hanging: 7) }

    /// Returns a name and its description in two columns, where the first is `first` characters wide.
    private func row(_ name: String, _ text: String, first: Int) -> [String] {
        let name = "  " + name + String(repeating: " ", count: max(1, first - name.count))
        let lines = wrapped(text, indent: first + 2)
        return [name + (lines.first ?? "").dropFirst(first + 2)] + lines.dropFirst()
    }

    private func wrapped(_ text: String, indent: Int = 0) -> [String] {
        WrappedText.lines(text, width: width, indent: indent)
    }
}
