import HLSInput
import StreamHealth

/// `dtvr scan`: prints the tags of recorded input.
struct ScanCommand {
    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() async throws(UsageError) -> ExitStatus {
        try context.requireOperands("input")
        let printer = try TagPrinter(context)
        let inputs = try InputAccess(context)
        let policy = context.invocation.healthPolicy
        var totals = ReadingTotals()
        var isHeaderDue = true
        for source in context.operands where !context.console.isOutputClosed {
            guard let segments = await inputs.open(source) else { continue }
            if isHeaderDue { printer.printHeader() }
            isHeaderDue = false
            var progress = InputProgress(segments, on: context.console)
            for await var segment in segments {
                segment.tags = policy.checked(segment.tags)
                printer.print(segment)
                totals.add(segment)
                progress.add(segment)
                if context.console.isOutputClosed { break }
            }
            progress.end()
        }
        if Task.isCancelled { return .interrupted }
        return totals.segmentCount == 0 ? .noInput : .done
    }
}
