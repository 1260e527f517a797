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
        case .run: "read the tags of INPUT, buffer them and upload them; the main job"
        case .scan: "print the tags of recorded input"
        case .check: "check recorded input: what is wrong with its tags, and where"
        case .monitor: "follow live channels, keep their tags, and raise alerts"
        case .tag: "decode owner identifiers from arguments or standard input"
        case .store: "inspect the buffer, export from it or clean it up"
        case .upload: "upload what is buffered, then stop"
        case .collect: "receive tags, for development and tests"
        case .synth: "make a test stream with synthetic tags, or serve live ones"
        case .replay: "make the calls of a player's log to a real session"
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
            directory of segments, or - for standard input. Of a live playlist, the current window is read once. The \
            type of a segment is detected from its content, not from its name.
            """
        case .check:
            """
            INPUT is a path or an http(s) address of a media segment, of a media or multivariant playlist or of a \
            directory of segments, or - for standard input. Of a live playlist, the current window is read once. \
            Each check ends as pass, warn, fail or not-run. The exit status is 1 if a check failed and 0 if none did.
            """
        case .monitor:
            """
            Follows the live channels at the addresses, or those that --channels names, until it is stopped: loads \
            their playlists, reads each segment once, checks the tags, keeps them in the buffer and uploads them to \
            --collector. On a terminal it shows a table, elsewhere a line for each change; --format jsonl prints \
            every tag, state, alert and finding. It ends with status 0 within 5 s of SIGINT or SIGTERM.
            """
        case .tag:
            """
            Each OWNER is the owner identifier of a tag, starting with www.nielsen.com/. Without one, owner identifiers \
            are searched for in standard input, in any text. Blanks, line ends and the escapes of JSON, URLs and HTML \
            are repaired and reported.
            """
        case .store:
            """
            status shows what is waiting and what was lost, list prints the waiting tags, export writes them as NDJSON, \
            prune deletes those older than --older-than, and verify checks every row. With --dead, list, export and \
            prune are about the dead letters instead, the tags that a collector refused for good; retry puts those \
            back among the waiting tags.
            """
        case .upload:
            """
            Sends every waiting tag to the collector, and deletes those that the collector accepted. Those that it \
            refused for good become dead letters; while there are any, the exit status is 5.
            """
        case .collect:
            """
            Stores the tags that it receives as NDJSON in the folder --dir, each tag once, and answers GET /status \
            with its counts. Prints its address when it is ready.
            """
        case .synth:
            """
            Writes H.264, AAC and timed ID3 with synthetic tags that pass every check, or with one --fault. With --live, \
            serves endless channels instead, prints the address of each on a line, and runs until it is stopped or for \
            --duration.
            """
        case .replay:
            """
            LOG is a file of JSON lines, each a call of a player with its arguments, or - for standard input. The calls \
            go to a real session, which buffers their tags, and delivers them if --collector names a collector. The \
            last line is a summary. The exit status is 0 whatever the calls are.
            """
        case .completions:
            """
            The script completes commands, options and their values. For bash, write it to \
            /etc/bash_completion.d/dtvr; for zsh, to a file _dtvr in a folder of $fpath; for fish, to \
            ~/.config/fish/completions/dtvr.fish.
            """
        case .manual:
            """
            Prints the source of a page, in the man(7) language; man and mandoc show it. Without PAGE, it prints the \
            names of all pages, a line each, as their files are called.
            """
        }
    }

    var usage: String {
        let operands = operands.isEmpty ? "" : " \(operands)"
        return "usage: dtvr \(rawValue) [OPTION]...\(operands)"
    }
}
