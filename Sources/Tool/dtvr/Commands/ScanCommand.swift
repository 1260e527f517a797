import HLSInput

/// `dtvr scan`: prints the tags of recorded input.
struct ScanCommand {
    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() async throws(UsageError) -> ExitStatus {
        try context.requireOperands("input")
        let printer = try TagPrinter(context)
        let inputs = try InputAccess(context)
        var totals = ReadingTotals()
        var isHeaderDue = true
        for source in context.operands where !context.console.isOutputClosed {
            guard let segments = await inputs.open(source) else { continue }
            if isHeaderDue { printer.printHeader() }
            isHeaderDue = false
            var progress = InputProgress(segments, on: context.console)
            for await segment in segments {
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
