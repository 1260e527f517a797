import TextForms

/// `dtvr completions`: prints completions for a shell.
struct CompletionsCommand: Command {
    static let declaration = CommandDeclaration(
        "completions",
        summary: "print a completion script for a shell",
        operands: "bash | zsh | fish",
        choices: CompletionShell.allCases.map(\.rawValue),
        description: """
            The script completes commands, options and their values. For bash, write it to \
            /etc/bash_completion.d/dtvr; for zsh, to a file _dtvr in a folder of $fpath; for fish, to \
            ~/.config/fish/completions/dtvr.fish.
            """,
        examples: [
            CommandExample("source <(dtvr completions bash)", "completions for this bash session")
        ])

    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() throws(UsageError) -> ExitStatus {
        try context.requireOperands("shell")
        let known = CompletionShell.allCases.map(\.rawValue)
        guard context.operands.count == 1, let shell = CompletionShell(rawValue: context.operands[0]) else {
            let given = context.operands.joined(separator: " ")
            throw context.usageError(
                "the shell must be bash, zsh or fish, not '\(given)'\(Suggestion.text(for: given, among: known))"
            )
        }
        context.console.print(shell.script)
        return .done
    }
}

/// The shells with a completion script; each script is generated from the declarations of the commands.
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
}

extension CompletionShell {
    /// The fish completions; fish itself handles the form `--option=value`.
    private static var fishScript: String {
        let commands =
            CommandRegistry.summaries
        let names = commands.map(\.0).joined(separator: " ")
        var lines = ["# Completions of dtvr for fish."]
        for (name, summary) in commands {
            lines.append(
                "complete -c dtvr -n 'not __fish_seen_subcommand_from \(names)' -f -a \(name) "
                    + "-d '\(fishQuoted(summary))'")
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
                    "complete -c dtvr \(condition) -l \(setting.name)\(fishValue(setting)) "
                        + "-d '\(fishQuoted(setting.help))'"
                )
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func fishValue(_ setting: Setting) -> String {
        if !setting.suggestions.isEmpty { return " -x -a '\(setting.suggestions.joined(separator: " "))'" }
        return switch setting.kind {
        case .toggle: ""
        case .path: " -r -F"
        case .text, .choice, .duration, .byteCount, .number, .decimal: " -x"
        }
    }

    private static func fishQuoted(_ text: String) -> String { text.replacing("'", with: "\\'") }
}

extension CompletionShell {
    /// The zsh completions.
    private static var zshScript: String {
        let commands =
            CommandRegistry.summaries
        let list = commands.map { "        '\($0.0):\(zshQuoted($0.1))'" }
        return """
            #compdef dtvr
            # Completions of dtvr for zsh.
            _dtvr() {
                local -a commands
                commands=(
            \(list.joined(separator: "\n"))
                )
                if (( CURRENT == 2 )); then
                    _describe 'command' commands
                    return
                fi
                local command="${words[2]}"
                shift words
                (( CURRENT-- ))
                case "$command" in
                    help|--help) _describe 'command' commands ;;
            \(CommandRegistry.declarations.map(zshArguments).joined(separator: "\n"))
                esac
            }
            # Autoloaded from fpath, this file is the body of the function; otherwise it is sourced.
            if [ "${funcstack[1]}" = _dtvr ]; then _dtvr "$@"; else compdef _dtvr dtvr; fi
            """
    }

    /// Returns the `case` branch of one command.
    private static func zshArguments(of command: CommandDeclaration) -> String {
        let options = command.settings.map { "                '\($0.flag)\(zshValue($0))' \\" }
        let operand =
            command.operandChoices.isEmpty
            ? "'*:input:_files'" : "'*:operand:(\(command.operandChoices.joined(separator: " ")))'"
        return """
                    \(command.name))
                        _arguments \\
            \(options.joined(separator: "\n"))
                            '--help[show the help of the command]' \\
                            \(operand) ;;
            """
    }

    private static func zshValue(_ setting: Setting) -> String {
        let help = "[\(zshQuoted(setting.help))]"
        if !setting.suggestions.isEmpty {
            return "=\(help):value:(\(setting.suggestions.joined(separator: " ")))"
        }
        return switch setting.kind {
        case .toggle: help
        case .path: "=\(help):file:_files"
        case .text, .choice, .duration, .byteCount, .number, .decimal: "=\(help):value: "
        }
    }

    /// Escapes or replaces quotes, brackets and colons, which separate fields in zsh's notation.
    private static func zshQuoted(_ text: String) -> String {
        text.replacing("'", with: "'\\''").replacing("[", with: "(").replacing("]", with: ")")
            .replacing(":", with: "\\:")
    }
}

extension CompletionShell {
    /// The bash completions.
    private static var bashScript: String {
        let commands = CommandRegistry.declarations.map(\.name).joined(separator: " ")
        let values = CommandRegistry.declarations.flatMap { command in
            command.settings.compactMap { setting in
                bashValue(setting).map { "        \"\(command.name) \(setting.flag)\") \($0); return ;;" }
            }
        }
        let words = CommandRegistry.declarations.map { command in
            let words = command.settings.map(\.flag) + ["--help"] + command.operandChoices
            let isFirst = command.operandChoices.isEmpty ? "" : "; [ \"$COMP_CWORD\" -eq 2 ] && return"
            return "        \(command.name)) _dtvr_words \"\(words.joined(separator: " "))\"\(isFirst) ;;"
        }
        return """
            # Completions of dtvr for bash.
            _dtvr_words() {
                COMPREPLY+=($(compgen -P "$prefix" -W "$1" -- "$word"))
                # Append no space to a word that ends in an equals sign.
                case "${COMPREPLY[0]}" in *=) compopt -o nospace 2>/dev/null ;; esac
            }
            _dtvr_files() {
                local IFS=$'\\n'
                COMPREPLY+=($(compgen -P "$prefix" -f -- "$word"))
            }
            _dtvr() {
                local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" prefix=""
                COMPREPLY=()
                if [ "$COMP_CWORD" -eq 1 ]; then
                    _dtvr_words "\(commands) help --help --version"
                    return
                fi
                # Bash splits --option=value at the equals sign, unless COMP_WORDBREAKS omits it.
                if [ "$word" = "=" ]; then
                    word=""
                elif [ "$before" = "=" ]; then
                    before="${COMP_WORDS[COMP_CWORD-2]}"
                else
                    case "$word" in --*=*)
                        before="${word%%=*}" prefix="${word%%=*}=" word="${word#*=}" ;;
                    esac
                fi
                case "${COMP_WORDS[1]} $before" in
            \(values.joined(separator: "\n"))
                esac
                case "${COMP_WORDS[1]}" in
                    help|--help) _dtvr_words "\(commands)"; return ;;
            \(words.joined(separator: "\n"))
                esac
                case "$word" in -*) ;; *) _dtvr_files ;; esac
            }
            complete -o filenames -F _dtvr dtvr
            """
    }

    /// Returns the shell command that completes the value of a setting, or nil if the setting takes no value.
    private static func bashValue(_ setting: Setting) -> String? {
        if !setting.suggestions.isEmpty {
            return "_dtvr_words \"\(setting.suggestions.joined(separator: " "))\""
        }
        return switch setting.kind {
        case .path: "_dtvr_files"
        case .text, .choice, .duration, .byteCount, .number, .decimal: ":"
        case .toggle: nil
        }
    }
}
