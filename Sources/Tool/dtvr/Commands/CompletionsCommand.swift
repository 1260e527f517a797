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
        case .bash: BashCompletion.script
        case .zsh: ZshCompletion.script
        case .fish: FishCompletion.script
        }
    }
}
