/// Zsh completions.
enum ZshCompletion {
    static var script: String {
        let commands =
            CommandRegistry.summaries
        let list = commands.map { "        '\($0.0):\(quoted($0.1))'" }
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
            \(CommandRegistry.declarations.map(arguments).joined(separator: "\n"))
                esac
            }
            # Autoloaded from fpath, this file is the body of the function; otherwise it is sourced.
            if [ "${funcstack[1]}" = _dtvr ]; then _dtvr "$@"; else compdef _dtvr dtvr; fi
            """
    }

    /// Returns the `case` branch of one command.
    private static func arguments(of command: CommandDeclaration) -> String {
        let options = command.settings.map { "                '\($0.flag)\(value($0))' \\" }
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

    private static func value(_ setting: Setting) -> String {
        let help = "[\(quoted(setting.help))]"
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
    private static func quoted(_ text: String) -> String {
        text.replacing("'", with: "'\\''").replacing("[", with: "(").replacing("]", with: ")")
            .replacing(":", with: "\\:")
    }
}
