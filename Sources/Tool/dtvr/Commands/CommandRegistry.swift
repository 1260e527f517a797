import TextForms

/// All commands, in the order of the help.
enum CommandRegistry {
    static let commands: [any Command.Type] = [
        RunCommand.self,
        ScanCommand.self,
        CheckCommand.self,
        MonitorCommand.self,
        TagCommand.self,
        StoreCommand.self,
        UploadCommand.self,
        CollectCommand.self,
        LedgerCommand.self,
        SynthCommand.self,
        ReplayCommand.self,
        CertifyCommand.self,
        CompletionsCommand.self,
        ManualCommand.self,
    ]

    static let declarations = commands.map { $0.declaration }

    /// The summary of `dtvr help`, which is not a command with settings.
    static let helpSummary = "show the help of a command"

    /// The names and summaries of the commands, and of `dtvr help`.
    static var summaries: [(name: String, summary: String)] {
        declarations.map { ($0.name, $0.summary) } + [("help", helpSummary)]
    }

    /// Returns the command with a name, or throws a usage error with a suggestion.
    static func command(named name: String) throws(UsageError) -> any Command.Type {
        if let command = commands.first(where: { $0.declaration.name == name }) { return command }
        if name.hasPrefix("-") {
            let suggestion = Suggestion.text(for: name, among: ["--help", "--version"])
            throw UsageError("there is no option '\(name)'\(suggestion)")
        }
        let known = declarations.map(\.name) + ["help", "version"]
        throw UsageError("there is no command '\(name)'\(Suggestion.text(for: name, among: known))")
    }
}
