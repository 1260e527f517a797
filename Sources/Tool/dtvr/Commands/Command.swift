/// A command of the tool.
///
/// To add a command, add a file with a conforming type to this folder and a line to `CommandRegistry.commands`.
/// Dispatch, help, the manual, completions and the configuration keys follow from its declaration.
protocol Command: SendableMetatype {
    /// The description of the command.
    static var declaration: CommandDeclaration { get }

    /// Creates the command for an invocation.
    init(_ context: CommandContext)

    /// Runs the command, and returns its exit status.
    func perform() async throws(UsageError) -> ExitStatus
}

/// The description of a command: its texts, operands, settings, exit statuses and examples.
struct CommandDeclaration: Sendable {
    /// The name on the command line.
    let name: String
    /// The summary in the list of commands.
    let summary: String
    /// The operands on the usage line; empty if the command takes none.
    let operands: String
    /// The description in the help and on the manual page.
    let description: String
    /// The paragraphs that the manual page adds to the description.
    let details: [String]
    /// The settings in the order of the help, each in the form for this command.
    let settings: [Setting]
    /// The exit statuses that not every command has.
    private let exitStatuses: [ExitStatus]
    /// The environment variables that only this command uses.
    let variables: [ManualItem]
    /// The files that only this command uses.
    let files: [ManualItem]
    /// The example command lines.
    ///
    /// Addresses at example.com are placeholders; the rest works verbatim.
    let examples: [CommandExample]
    private let choices: @Sendable () -> [String]

    /// Creates a declaration.
    ///
    /// - Parameters:
    ///   - choices: The valid values of the first operand; empty if it is free text. Evaluated on use, because the
    ///     pages of the manual depend on the declarations.
    ///   - settings: The settings besides those of every command, `config` and `color`.
    init(
        _ name: String, summary: String, operands: String = "",
        choices: @autoclosure @escaping @Sendable () -> [String] = [], description: String,
        details: [String] = [], settings: [Setting] = [], exitStatuses: [ExitStatus] = [],
        variables: [ManualItem] = [], files: [ManualItem] = [], examples: [CommandExample]
    ) {
        self.name = name
        self.summary = summary
        self.operands = operands
        self.choices = choices
        self.description = description
        self.details = details
        self.settings = [.config, .color] + settings
        self.exitStatuses = exitStatuses
        self.variables = variables
        self.files = files
        self.examples = examples
    }

    /// The valid values of the first operand; empty if it is free text.
    var operandChoices: [String] { choices() }

    /// The usage line.
    var usage: String {
        let operands = operands.isEmpty ? "" : " \(operands)"
        return "usage: dtvr \(name) [OPTION]...\(operands)"
    }

    /// The exit statuses that the command can end with.
    var possibleStatuses: [ExitStatus] {
        ExitStatus.allCases.filter { $0.isOfEveryCommand || exitStatuses.contains($0) }
    }

    /// Returns a setting by name, in the form for this command; nil if the command does not take it.
    func setting(named name: String) -> Setting? { settings.first { $0.name == name } }
}

/// An example command line and its purpose.
struct CommandExample: Sendable {
    let call: String
    let purpose: String

    init(_ call: String, _ purpose: String) {
        self.call = call
        self.purpose = purpose
    }
}
