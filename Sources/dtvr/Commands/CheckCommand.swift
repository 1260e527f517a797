import Foundation
import Reporting
import StreamHealth
import StreamMonitor

/// `dtvr check`: a verdict on recorded input.
struct CheckCommand {
    private let context: CommandContext
    private let policy: HealthPolicy

    init(_ context: CommandContext) {
        self.context = context
        policy = context.invocation.healthPolicy
    }

    func perform() async throws(UsageError) -> ExitStatus {
        if let topic = context.invocation[.explain] {
            context.console.print(CheckGuide.text(on: topic, policy: policy))
            return .done
        }
        try context.requireOperands("input")
        let format = ReportFormat(rawValue: context.format) ?? .text
        var output = try ReportOutput(context)
        let jobs = context.invocation.number(.jobs) ?? ProcessInfo.processInfo.activeProcessorCount
        let access = try InputAccess(context, observes: true, jobs: jobs)
        var reports: [HealthReport] = []
        for source in context.operands where !Interruption.shared.isRequested {
            guard let checked = await check(source, access, format) else { continue }
            if format == .csv {
                if reports.isEmpty { output.write(CSVReport.header) }
                output.write(checked.rows)
            }
            reports.append(checked.report)
        }
        if Interruption.shared.isRequested { return .interrupted }
        if reports.isEmpty { return .noInput }
        output.write(format.document(of: reports, isColored: output.isColored))
        if let failure = output.finish() { throw context.usageError("--output: \(failure)") }
        return reports.contains { $0.verdict.status == .fail } ? .checkFailed : .done
    }

    /// Reads an input to its end; nil where nothing of it could be read, which has been said then.
    private func check(
        _ source: String, _ access: InputAccess, _ format: ReportFormat
    ) async -> CheckedInput? {
        guard let reader = await access.open(source) else { return nil }
        var judge = ProgrammeJudge(
            reader.programme, policy: policy, listsSettledFindings: format.showsEveryTag)
        var material = ReportMaterial(reader.programme, for: format)
        let bar = ProgressBar(source, on: context.console)
        var done = 0
        var readCount = 0
        while !Interruption.shared.isRequested, let reading = await reader.readNext() {
            access.report(reading)
            if case .read = reading.outcome { readCount += 1 }
            if let observation = reading.observation {
                judge.observe(observation)
                material.add(observation)
                material.mark(judge.takeSettledFindings())
            }
            done += 1
            bar.show(done, of: reader.segmentCount, "segments")
        }
        bar.end()
        guard readCount > 0, !Interruption.shared.isRequested else { return nil }
        let verdict = judge.finish()
        material.mark(judge.takeSettledFindings())
        return material.finish(verdict)
    }
}
