import TextForms

/// `dtvr completions`: prints completions for a shell.
struct CompletionsCommand {
    let context: CommandContext

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
