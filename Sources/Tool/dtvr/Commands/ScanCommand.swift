import Foundation
import HLSInput
import StreamHealth
import TagRecord

/// `dtvr scan`: prints the tags of recorded input.
struct ScanCommand {
    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() async throws(UsageError) -> ExitStatus {
        try context.requireOperands("input")
        let printer = try TagPrinter(context)
        let jobs = context.invocation.number(.jobs) ?? ProcessInfo.processInfo.activeProcessorCount
        let access = try InputAccess(context, jobs: jobs)
        let policy = context.invocation.healthPolicy
        var totals = ReadingTotals()
        var isHeaderDue = true
        for source in context.operands {
            guard let reader = await access.open(source) else { continue }
            if isHeaderDue { printer.printHeader() }
            isHeaderDue = false
            let bar = ProgressBar(source, on: context.console)
            var done = 0
            while !Interruption.shared.isRequested, !context.console.isOutputClosed,
                var reading = await reader.readNext()
            {
                access.report(reading)
                reading.tags = policy.checked(reading.tags)
                printer.print(reading)
                totals.add(reading)
                done += 1
                bar.show(done, of: reader.segmentCount, "segments")
            }
            bar.end()
        }
        if Interruption.shared.isRequested { return .interrupted }
        return totals.segmentCount == 0 ? .noInput : .done
    }
}
