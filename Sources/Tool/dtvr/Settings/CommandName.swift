/// The commands of the tool, each with what it is for.
enum CommandName: String, CaseIterable, Sendable {
    case run
    case scan
    case check
    case tag
    case store
    case upload
    case collect
    case synth
    case completions

    /// What stands behind the command's name on its usage line.
    var operands: String {
        switch self {
        case .run, .scan, .check: "INPUT..."
        case .tag: "[OWNER...]"
        case .store: "status | list | export | prune | verify"
        case .upload, .collect: ""
        case .synth: "DIR"
        case .completions: "bash | zsh | fish"
        }
    }

    /// The words that the first operand may be, where it is one of a few.
    var operandChoices: [String] {
        switch self {
        case .store: StoreCommand.Action.allCases.map(\.rawValue)
        case .completions: CompletionShell.allCases.map(\.rawValue)
        default: []
        }
    }

    /// One line on `dtvr help`, which is no command with settings of its own.
    static let helpSummary = "show the help of a command"

    /// The error of a call whose first word is no command.
    static func unknown(_ word: String) -> UsageError {
        if word.hasPrefix("-") {
            let suggestion = Suggestion.text(for: word, among: ["--help", "--version"])
            return UsageError("there is no option '\(word)'\(suggestion)")
        }
        let known = allCases.map(\.rawValue) + ["help", "version"]
        return UsageError("there is no command '\(word)'\(Suggestion.text(for: word, among: known))")
    }

    /// One line for the list of commands.
    var summary: String {
        switch self {
        case .run: "extract, buffer and upload the tags of INPUT; the main job"
        case .scan: "print the tags of recorded input"
        case .check: "give a verdict on recorded input: what is wrong with its tags, and where"
        case .tag: "decode owner identifiers from arguments or standard input"
        case .store: "look into the buffer, or take care of it"
        case .upload: "send what is buffered, then stop"
        case .collect: "receive tags: a collection facility for development and tests"
        case .synth: "make a stream with synthetic tags, as DIR/index.m3u8"
        case .completions: "print completions for a shell"
        }
    }

    /// What the help of the command says beyond its options.
    var description: String {
        switch self {
        case .run, .scan:
            """
            INPUT is a media segment, a media or multivariant playlist, a directory of segments, or - for \
            standard input; a path or an http(s) address. What a segment is, its content tells, not its name.
            """
        case .check:
            """
            INPUT is a media segment, a media or multivariant playlist, a directory of segments, or - for \
            standard input; a path or an http(s) address. Of a live playlist the present window is read, once. \
            Each check ends as pass, warn, fail or not-run. Exit status 0: none failed; 1: at least one did.
            """
        case .tag:
            "Each OWNER is the owner identifier of a tag, from www.nielsen.com/ on; without one, they are searched "
                + "for in standard input, between any text. Blanks and line ends inside are taken out and reported."
        case .store:
            """
            status says what waits and what was lost; list prints the waiting tags, export writes them as NDJSON; \
            prune deletes those that are older than --older-than; verify checks every row.
            """
        case .upload:
            "Sends every waiting tag to the collector and deletes what the collector has accepted."
        case .collect:
            """
            Keeps what it receives under --dir as NDJSON, each tag once, and answers GET /status with its counts. \
            Prints its address when it is ready.
            """
        case .synth:
            "Writes H.264, AAC and timed ID3 with synthetic tags, as the carriage rules ask, or with one --fault."
        case .completions:
            "For bash: dtvr completions bash > /etc/bash_completion.d/dtvr"
        }
    }

    /// Calls that show what the command is for, each with a word on it.
    var examples: [(call: String, purpose: String)] {
        switch self {
        case .check:
            [
                ("dtvr check main.m3u8", "every variant and its audio, against each other too"),
                ("dtvr check --format html --output report.html main.m3u8", "a page with plots to pass on"),
                ("dtvr check --format junit live/*.m3u8", "a test case a check, for continuous integration"),
                ("dtvr check --against http://origin/main.m3u8 http://cdn/main.m3u8", "what the way cost"),
                ("dtvr check --owners player.log main.m3u8", "what a player handed on"),
                ("dtvr check --limit-gap 12s --rendition lowest main.m3u8", "with a limit of one's own"),
                ("dtvr check --explain time.gap", "what a check means and what to do"),
            ]
        default: []
        }
    }

    var usage: String {
        let operands = operands.isEmpty ? "" : " \(operands)"
        return "usage: dtvr \(rawValue) [OPTION]...\(operands)"
    }
}
