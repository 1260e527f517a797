/// The page `dtvr-config(5)`: the configuration syntax, all settings, and the environment variables.
enum ConfigurationManual {
    static func write(to text: inout ManualText) {
        text.section("SYNOPSIS")
        text.synopsis("$XDG_CONFIG_HOME/dtvr/config")
        text.section("DESCRIPTION")
        for paragraph in description { text.paragraph(paragraph) }
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
        text.verbatim(example.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }

    private static let description = [
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
    static let example = """
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
