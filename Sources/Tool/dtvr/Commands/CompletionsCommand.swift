/// `dtvr completions`: prints completions for a shell.
struct CompletionsCommand {
    let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() throws(UsageError) -> ExitStatus {
        try context.requireOperands("shell")
        guard context.operands.count == 1, let shell = CompletionShell(rawValue: context.operands[0]) else {
            throw context.usageError("the shells are bash, zsh and fish, not '\(context.operands[0])'")
        }
        context.console.print(shell.script)
        return .done
    }
}
