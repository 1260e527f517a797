/// A page of the manual.
struct ManualPage: Sendable {
    /// The subject of a page: the tool, a command or the configuration file.
    enum Subject: Sendable {
        case tool
        case command(CommandDeclaration)
        case configuration
    }

    let subject: Subject

    /// All pages: the tool, each command, and the configuration file.
    static let all: [ManualPage] =
        [ManualPage(subject: .tool)] + CommandRegistry.declarations.map(ManualPage.init)
        + [ManualPage(subject: .configuration)]

    /// Creates the page of a command.
    init(_ command: CommandDeclaration) { self.init(subject: .command(command)) }

    init(subject: Subject) { self.subject = subject }

    var name: String {
        switch subject {
        case .tool: "dtvr"
        case .command(let command): "dtvr-\(command.name)"
        case .configuration: "dtvr-config"
        }
    }

    /// The section number: 1 for programs, 5 for files.
    var section: Int { if case .configuration = subject { 5 } else { 1 } }

    /// The file name, such as `dtvr-scan.1`.
    var fileName: String { "\(name).\(section)" }

    /// The reference that other pages use, such as `dtvr-scan(1)`.
    var reference: String { "\(name)(\(section))" }

    /// The one-line summary.
    var summary: String {
        switch subject {
        case .tool: "Nielsen DTVR timed metadata in HLS streams"
        case .command(let command): command.summary
        case .configuration: "settings of dtvr: configuration file and environment variables"
        }
    }

    /// Returns the page in the man(7) language.
    ///
    /// - Parameters:
    ///   - version: The version of the tool.
    ///   - date: The date of the page, such as `2026-11-20`.
    func source(version: String, date: String) -> String {
        var text = ManualText(title: name, section: section, date: date, version: "dtvr \(version)")
        text.section("NAME")
        text.name(name, summary)
        switch subject {
        case .tool: Self.writeTool(to: &text)
        case .command(let command): command.writeManual(to: &text)
        case .configuration: Self.writeConfiguration(to: &text)
        }
        text.section("SEE ALSO")
        text.references(Self.all.map(\.reference).filter { $0 != reference })
        return text.source
    }
}

extension CommandDeclaration {
    /// Writes the manual page of the command.
    fileprivate func writeManual(to text: inout ManualText) {
        text.section("SYNOPSIS")
        let operands = self.operands.isEmpty ? "" : " \(self.operands)"
        text.synopsis("dtvr \(name) [OPTION]...\(operands)")
        text.section("DESCRIPTION")
        for paragraph in [description] + details { text.paragraph(paragraph) }
        writeOptions(to: &text)
        text.section("EXIT STATUS")
        for status in possibleStatuses {
            text.item("\(status.rawValue)", ManualText.sentence(status.meaning) + ".")
        }
        text.section("ENVIRONMENT")
        text.paragraph("Each option has a variable, which dtvr-config(5) lists. The command also uses:")
        for variable in ManualItem.variables(of: self) { text.item(variable.name, variable.text) }
        text.section("FILES")
        for file in ManualItem.files(of: self) { text.item(file.name, file.text) }
        text.section("EXAMPLES")
        for example in examples { text.example(example) }
    }

    private func writeOptions(to text: inout ManualText) {
        text.section("OPTIONS")
        text.paragraph(
            """
            Each option can also be set by an environment variable or in the configuration file; see dtvr-config(5). \
            The option overrides both.
            """)
        for setting in settings where !setting.isLimit { write(setting, to: &text) }
        text.item("-h, --help", "Show the help of the command.")
        let limits = settings.filter(\.isLimit)
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

extension ManualPage {
    /// Writes the page `dtvr(1)`: the tool, its commands, and their common behavior.
    private static func writeTool(to text: inout ManualText) {
        text.section("SYNOPSIS")
        text.synopsis("dtvr COMMAND [OPTION]... [OPERAND]...")
        text.synopsis("dtvr help [COMMAND]")
        text.synopsis("dtvr --version")
        text.section("DESCRIPTION")
        for paragraph in toolDescription { text.paragraph(paragraph) }
        text.section("COMMANDS")
        for command in CommandRegistry.declarations {
            let page = ManualPage(command).reference
            text.item(command.name, "\(ManualText.sentence(command.summary)). See \(page).")
        }
        text.item(
            "help [COMMAND]", "\(ManualText.sentence(CommandRegistry.helpSummary)), or the list of commands.")
        text.section("OPTIONS")
        text.paragraph("The page of each command lists its options. The options without a command are:")
        text.item("-h, --help", "Show the list of commands.")
        text.item("-V, --version", "Show the version.")
        text.section("EXIT STATUS")
        for status in ExitStatus.allCases {
            text.item("\(status.rawValue)", ManualText.sentence(status.meaning) + ".")
        }
        text.section("ENVIRONMENT")
        text.paragraph(
            "Every setting has an environment variable, whose name begins with DTVR_. dtvr-config(5) lists these and "
                + "the other variables that dtvr uses.")
        text.section("FILES")
        for file in ManualItem.files { text.item(file.name, file.text) }
        text.section("EXAMPLES")
        for example in toolExamples { text.example(example) }
    }

    private static let toolDescription = [
        """
        TV streams over HLS carry ID3 tags with Nielsen's audience measurement data for Digital in TV Ratings (DTVR). \
        dtvr extracts these tags from the segments (MPEG transport streams, fragmented MP4 and CMAF with event \
        messages, packed audio) and decodes them, which needs no key. It checks whether they are complete, regular and \
        on time, stores them in a bounded buffer that survives crashes, and delivers each of them once to a collector.
        """,
        """
        Results go to standard output, everything else to standard error. A damaged or missing segment among good ones \
        is reported on standard error and does not end a command. A reader that closes the pipe early does not cause \
        an error. SIGINT and SIGTERM end a command within a second.
        """,
        "Nothing leaves the machine except to the collector that --collector names.",
    ]

    /// A sequence of commands that leads from an empty folder to delivered tags.
    static let toolExamples = [
        CommandExample("dtvr synth demo", "make a stream with synthetic tags"),
        CommandExample("dtvr scan demo/index.m3u8", "print its tags"),
        CommandExample("dtvr check demo/index.m3u8", "check it"),
        CommandExample(
            "dtvr run --collector https://collector.example.com/ demo/index.m3u8",
            "read it, buffer its tags and upload them"),
    ]
}

extension ManualPage {
    /// Writes the page `dtvr-config(5)`: the configuration syntax, all settings, and the environment variables.
    private static func writeConfiguration(to text: inout ManualText) {
        text.section("SYNOPSIS")
        text.synopsis("$XDG_CONFIG_HOME/dtvr/config")
        text.section("DESCRIPTION")
        for paragraph in configurationDescription { text.paragraph(paragraph) }
        text.section("SETTINGS")
        for key in ConfigurationKey.all where !key.isLimit { write(key, to: &text) }
        text.subsection("Limits of the checks")
        for key in ConfigurationKey.all where key.isLimit { write(key, to: &text) }
        text.section("ENVIRONMENT")
        text.paragraph("Besides the variable of each setting:")
        for variable in ManualItem.variables { text.item(variable.name, variable.text) }
        text.section("FILES")
        for file in ManualItem.files { text.item(file.name, file.text) }
        text.section("EXAMPLES")
        text.paragraph("A configuration file for a machine that uploads to one collector:")
        text.verbatim(
            configurationExample.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }

    private static let configurationDescription = [
        """
        Every setting of dtvr(1) is an option, an environment variable and a key of the configuration file. The option \
        overrides the variable, the variable overrides the file, and the file overrides the default. The variable is \
        the key in upper case with the prefix DTVR_ and underscores instead of hyphens: the key max-age has the \
        variable DTVR_MAX_AGE and the option --max-age. An empty variable counts as unset.
        """,
        """
        The file has lines of the form key = value. A # at the start of a line or after white space begins a comment, \
        and blank lines are ignored. All commands share the file, and each uses the keys that it supports. A key that \
        no command supports is an error, and so is an invalid value.
        """,
        """
        A time is a number with the unit s, m, h or d, such as 90s, 1.5h or 10d; without a unit it is in seconds. A \
        size is a whole number of bytes, or one with the unit kB, MB, GB, KiB, MiB or GiB. A switch takes true, yes, \
        on or 1, or false, no, off or 0; the option without a value turns it on.
        """,
    ]

    /// The sample configuration file on the page.
    static let configurationExample = """
        # Where tags go.
        collector = https://collector.example.com/
        token-file = /etc/dtvr/token

        # Where they wait, and how long.
        store = /var/lib/dtvr/store
        max-age = 5d
        max-bytes = 200MB

        # A stricter limit than the default.
        limit-gap = 12s
        """

    private static func write(_ key: ConfigurationKey, to text: inout ManualText) {
        let variable = key.forms[0].setting.variable
        let source =
            key.name == Setting.config.name
            ? "It is not a key of the file: only the option and the variable \(variable) set it."
            : "Variable: \(variable)."
        for (index, form) in key.forms.enumerated() {
            let setting = form.setting
            let words = [
                names(form.commands) + ":", setting.help + ".", "Takes \(setting.values).",
                setting.defaultSentence, index == key.forms.count - 1 ? source : nil,
            ].compactMap(\.self).joined(separator: " ")
            if index == 0 { text.item(key.name, words) } else { text.itemParagraph(words) }
        }
    }

    /// Returns the command names in a comma-separated list, or "All commands".
    private static func names(_ commands: [CommandDeclaration]) -> String {
        commands.count == CommandRegistry.commands.count
            ? "All commands" : commands.map(\.name).joined(separator: ", ")
    }
}
