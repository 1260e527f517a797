import TextForms

/// The commands of the tool.
enum CommandName: String, CaseIterable, Sendable {
    case run
    case scan
    case check
    case monitor
    case tag
    case store
    case upload
    case collect
    case synth
    case replay
    case completions
    case manual

    /// The operands on the usage line.
    var operands: String {
        switch self {
        case .run, .scan, .check: "INPUT..."
        case .monitor: "URL..."
        case .tag: "[OWNER...]"
        case .store: "status | list | export | prune | verify | retry"
        case .upload, .collect: ""
        case .synth: "DIR | --live PORT"
        case .replay: "LOG..."
        case .completions: "bash | zsh | fish"
        case .manual: "[PAGE]"
        }
    }

    /// The valid values of the first operand; empty if it is free text.
    var operandChoices: [String] {
        switch self {
        case .store: StoreCommand.Action.allCases.map(\.rawValue)
        case .completions: CompletionShell.allCases.map(\.rawValue)
        case .manual: ManualPage.all.map(\.fileName)
        default: []
        }
    }

    /// The summary of `dtvr help`, which is not a command with settings.
    static let helpSummary = "show the help of a command"

    /// Returns the error for a first argument that is not a command.
    static func unknown(_ word: String) -> UsageError {
        if word.hasPrefix("-") {
            let suggestion = Suggestion.text(for: word, among: ["--help", "--version"])
            return UsageError("there is no option '\(word)'\(suggestion)")
        }
        let known = allCases.map(\.rawValue) + ["help", "version"]
        return UsageError("there is no command '\(word)'\(Suggestion.text(for: word, among: known))")
    }

    /// The summary in the list of commands.
    var summary: String {
        switch self {
        case .run: "read the tags of INPUT, buffer and upload them; the main command"
        case .scan: "print the tags of recorded input"
        case .check: "check the tags of recorded input, and report each problem"
        case .monitor: "follow live channels, buffer their tags, and raise alerts"
        case .tag: "decode owner identifiers from arguments or standard input"
        case .store: "inspect the buffer, export from it or clean it up"
        case .upload: "upload the buffered tags, then exit"
        case .collect: "receive tags, for development and tests"
        case .synth: "make a test stream with synthetic tags, or serve live ones"
        case .replay: "replay the calls of a player log on a real session"
        case .completions: "print a completion script for a shell"
        case .manual: "print a page of the manual, or the names of the pages"
        }
    }

    /// The description in the help of the command.
    var description: String {
        switch self {
        case .run, .scan:
            """
            INPUT is a path or an http(s) address of a media segment, of a media or multivariant playlist or of a \
            directory of segments, or - for standard input. For a live playlist, the current window is read once. The \
            type of a segment is detected from its content, not from its name.
            """
        case .check:
            """
            INPUT is a path or an http(s) address of a media segment, of a media or multivariant playlist or of a \
            directory of segments, or - for standard input. For a live playlist, the current window is read once. \
            The result of each check is pass, warn, fail or not-run. The exit status is 1 if a check failed and 0 if \
            none did.
            """
        case .monitor:
            """
            Follows the live channels at the URLs, or those that the file of --channels lists, until it is stopped. \
            It loads their playlists, reads each segment once, checks the tags, buffers them and uploads them to \
            --collector. On a terminal it shows a table, otherwise one line per change; --format jsonl prints every \
            tag, state, alert and finding. It exits with status 0 within 5 s of SIGINT or SIGTERM.
            """
        case .tag:
            """
            Each OWNER is the owner identifier of a tag, starting with www.nielsen.com/. Without OWNER, the command \
            searches the text on standard input for owner identifiers. Blanks, line ends and JSON, URL or HTML escapes \
            in an identifier are repaired and reported.
            """
        case .store:
            """
            status shows the waiting and the lost tags, list prints the waiting tags, export writes them as NDJSON, \
            prune deletes those older than --older-than, and verify checks every row. With --dead, list, export and \
            prune apply to the dead letters instead: the tags that a collector permanently refused. retry moves the \
            dead letters back to the waiting tags.
            """
        case .upload:
            """
            Sends every waiting tag to the collector, and deletes the tags that the collector accepts. Tags that it \
            permanently refuses become dead letters; while the buffer holds any, the exit status is 5.
            """
        case .collect:
            """
            Stores the tags that it receives as NDJSON in the folder --dir, each tag once, and answers GET /status \
            with its counts. Prints its address when it is ready.
            """
        case .synth:
            """
            Writes H.264, AAC and timed ID3 with synthetic tags that pass every check, or with one --fault. With \
            --live, it serves endless channels instead, prints the address of each on a line, and runs until it is \
            stopped or for --duration.
            """
        case .replay:
            """
            LOG is a file of JSON lines, each a call of a player with its arguments, or - for standard input. A real \
            session executes the calls, buffers their tags, and delivers them if --collector names a collector. The \
            last line is a summary. The results of the calls do not affect the exit status.
            """
        case .completions:
            """
            The script completes commands, options and their values. For bash, write it to \
            /etc/bash_completion.d/dtvr; for zsh, to a file _dtvr in a folder of $fpath; for fish, to \
            ~/.config/fish/completions/dtvr.fish.
            """
        case .manual:
            """
            Prints the source of a page in the man(7) language, which man and mandoc display. Without PAGE, it prints \
            the file names of all pages, one per line.
            """
        }
    }

    var usage: String {
        let operands = operands.isEmpty ? "" : " \(operands)"
        return "usage: dtvr \(rawValue) [OPTION]...\(operands)"
    }
}
