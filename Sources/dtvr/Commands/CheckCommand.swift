import StreamMonitor

/// `dtvr check`: a verdict on recorded input.
struct CheckCommand {
    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() async throws(UsageError) -> ExitStatus {
        try context.requireOperands("input")
        return .done
    }
}
