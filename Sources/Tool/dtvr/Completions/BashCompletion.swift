/// Bash completions.
enum BashCompletion {
    static var script: String {
        let commands = CommandRegistry.declarations.map(\.name).joined(separator: " ")
        let values = CommandRegistry.declarations.flatMap { command in
            command.settings.compactMap { setting in
                value(setting).map { "        \"\(command.name) \(setting.flag)\") \($0); return ;;" }
            }
        }
        let words = CommandRegistry.declarations.map { command in
            let words = command.settings.map(\.flag) + ["--help"] + command.operandChoices
            return "        \(command.name)) _dtvr_words \"\(words.joined(separator: " "))\" ;;"
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
    private static func value(_ setting: Setting) -> String? {
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
