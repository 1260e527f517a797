/// The shells that completions are written for, each from the tables.
enum CompletionShell: String, CaseIterable, Sendable {
    case bash
    case zsh
    case fish

    var script: String {
        switch self {
        case .bash: Self.bashScript
        case .zsh: Self.zshScript
        case .fish: Self.fishScript
        }
    }

    private static var bashScript: String {
        let commands = CommandName.allCases.map(\.rawValue).joined(separator: " ")
        let flags = CommandName.allCases.map { command in
            let names = SettingTable.settings(of: command).map(\.flag) + ["--help"] + command.operandChoices
            return "        \(command.rawValue)) words=\"\(names.joined(separator: " "))\" ;;"
        }
        let values = SettingTable.all.flatMap { common -> [String] in
            // A few settings take other words with some commands; those cases stand before the common one.
            let others = CommandName.allCases.compactMap { command in
                SettingTable.setting(named: common.name, of: command).map { (command, $0) }
            }
            .filter { $0.1.kind != common.kind }
            let cases = others.map { ("\"\($0.rawValue) \(common.flag)\"", $1) }
            return (cases + [("*\" \(common.flag)\"", common)]).compactMap { pattern, setting in
                bashValue(setting).map { "        \(pattern)) \($0) ;;" }
            }
        }
        return """
            # Completions of dtvr for bash.
            _dtvr() {
                local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" words=""
                if [ "$COMP_CWORD" -eq 1 ]; then
                    COMPREPLY=($(compgen -W "\(commands) --help --version" -- "$word"))
                    return
                fi
                case "${COMP_WORDS[1]} $before" in
            \(values.joined(separator: "\n"))
                esac
                case "${COMP_WORDS[1]}" in
            \(flags.joined(separator: "\n"))
                esac
                COMPREPLY=($(compgen -W "$words" -- "$word"))
                case "$word" in -*) ;; *) COMPREPLY+=($(compgen -f -- "$word")) ;; esac
            }
            complete -o filenames -F _dtvr dtvr
            """
    }

    /// What offers the values of a setting; nil where it takes none.
    private static func bashValue(_ setting: Setting) -> String? {
        switch setting.kind {
        case .choice(let choices, _):
            "COMPREPLY=($(compgen -W \"\(choices.joined(separator: " "))\" -- \"$word\")); return"
        case .path: "COMPREPLY=($(compgen -f -- \"$word\")); return"
        case .text, .duration, .byteCount, .number: "return"
        case .toggle: nil
        }
    }

    private static var zshScript: String {
        let commands = CommandName.allCases.map { "        '\($0.rawValue):\(zshQuoted($0.summary))'" }
        let cases = CommandName.allCases.map { command in
            let options = SettingTable.settings(of: command).map { setting in
                "                '\(setting.flag)\(zshValue(setting))' \\"
            }
            let operand =
                command.operandChoices.isEmpty
                ? "'*:input:_files'" : "'*:operand:(\(command.operandChoices.joined(separator: " ")))'"
            return """
                        \(command.rawValue))
                            _arguments \\
                \(options.joined(separator: "\n"))
                                '--help[show the help of the command]' \\
                                \(operand) ;;
                """
        }
        return """
            #compdef dtvr
            # Completions of dtvr for zsh.
            _dtvr() {
                local -a commands
                commands=(
            \(commands.joined(separator: "\n"))
                )
                if (( CURRENT == 2 )); then
                    _describe 'command' commands
                    return
                fi
                local command="${words[2]}"
                shift words
                (( CURRENT-- ))
                case "$command" in
            \(cases.joined(separator: "\n"))
                esac
            }
            compdef _dtvr dtvr
            """
    }

    private static func zshValue(_ setting: Setting) -> String {
        let help = "[\(zshQuoted(setting.help))]"
        return switch setting.kind {
        case .toggle: help
        case .choice(let choices, _): "=\(help):value:(\(choices.joined(separator: " ")))"
        case .path: "=\(help):file:_files"
        case .text, .duration, .byteCount, .number: "=\(help):value: "
        }
    }

    /// Quotes, brackets and colons part the fields of zsh's own notation.
    private static func zshQuoted(_ text: String) -> String {
        text.replacing("'", with: "'\\''").replacing("[", with: "(").replacing("]", with: ")")
            .replacing(":", with: "\\:")
    }

    private static var fishScript: String {
        let names = CommandName.allCases.map(\.rawValue).joined(separator: " ")
        var lines = ["# Completions of dtvr for fish."]
        for command in CommandName.allCases {
            lines.append(
                "complete -c dtvr -n 'not __fish_seen_subcommand_from \(names)' -f -a \(command.rawValue) "
                    + "-d '\(fishQuoted(command.summary))'")
        }
        for command in CommandName.allCases {
            let condition = "-n '__fish_seen_subcommand_from \(command.rawValue)'"
            for choice in command.operandChoices {
                lines.append("complete -c dtvr \(condition) -f -a \(choice)")
            }
            for setting in SettingTable.settings(of: command) {
                let value =
                    switch setting.kind {
                    case .toggle: ""
                    case .choice(let choices, _): " -x -a '\(choices.joined(separator: " "))'"
                    case .path: " -r -F"
                    case .text, .duration, .byteCount, .number: " -x"
                    }
                lines.append(
                    "complete -c dtvr \(condition) -l \(setting.name)\(value) -d '\(fishQuoted(setting.help))'"
                )
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func fishQuoted(_ text: String) -> String { text.replacing("'", with: "\\'") }
}
