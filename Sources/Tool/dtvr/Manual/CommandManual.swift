/// The manual page of a command, generated from its declaration.
struct CommandManual {
    let command: CommandDeclaration

    func write(to text: inout ManualText) {
        text.section("SYNOPSIS")
        let operands = command.operands.isEmpty ? "" : " \(command.operands)"
        text.synopsis("dtvr \(command.name) [OPTION]...\(operands)")
        text.section("DESCRIPTION")
        for paragraph in [command.description] + command.details { text.paragraph(paragraph) }
        writeOptions(to: &text)
        text.section("EXIT STATUS")
        for status in command.possibleStatuses {
            text.item("\(status.rawValue)", ManualText.sentence(status.meaning) + ".")
        }
        text.section("ENVIRONMENT")
        text.paragraph("Each option has a variable, which dtvr-config(5) lists. The command also uses:")
        for variable in ManualItem.variables(of: command) { text.item(variable.name, variable.text) }
        text.section("FILES")
        for file in ManualItem.files(of: command) { text.item(file.name, file.text) }
        text.section("EXAMPLES")
        for example in command.examples { text.example(example) }
    }

    private func writeOptions(to text: inout ManualText) {
        text.section("OPTIONS")
        text.paragraph(
            """
            Each option can also be set by an environment variable or in the configuration file; see dtvr-config(5). \
            The option overrides both.
            """)
        for setting in command.settings where !setting.isLimit { write(setting, to: &text) }
        text.item("-h, --help", "Show the help of the command.")
        let limits = command.settings.filter(\.isLimit)
        if limits.isEmpty { return }
        text.subsection("Limits of the checks")
        for limit in limits { write(limit, to: &text) }
    }

    private func write(_ setting: Setting, to text: inout ManualText) {
        let sentences = [ManualText.sentence(setting.help) + ".", setting.range, setting.defaultSentence]
        text.item(setting.usage, sentences.compactMap(\.self).joined(separator: " "))
    }
}

extension Setting {
    /// A sentence on the valid values, or nil if the placeholder is self-explanatory.
    fileprivate var range: String? {
        switch kind {
        case .duration, .byteCount, .number, .decimal: "Takes \(values)."
        case .toggle, .text, .path, .choice: nil
        }
    }

    /// A sentence on the default value, or nil without one.
    var defaultSentence: String? { defaultText.map { "The default is \($0)." } }
}
