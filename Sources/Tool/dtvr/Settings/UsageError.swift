/// A usage error, printed as the message, the usage line and a hint.
struct UsageError: Error, Sendable, Hashable {
    static let generalUsage = "usage: dtvr COMMAND [OPTION]... [OPERAND]..."

    let message: String
    let command: CommandName?

    init(_ message: String, command: CommandName? = nil) {
        self.message = message
        self.command = command
    }

    var text: String {
        let usage = command?.usage ?? Self.generalUsage
        let help = command.map { "dtvr \($0.rawValue) --help" } ?? "dtvr --help"
        return "dtvr: \(message)\n\(usage)\nTry '\(help)'."
    }
}
