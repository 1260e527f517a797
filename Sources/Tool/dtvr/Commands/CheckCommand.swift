import Foundation
import HLSInput
import Reporting
import StreamHealth

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
        let format = ReportFormat(rawValue: context.format) ?? .text
        let textName = context.invocation[.owners]
        if textName == nil { try context.requireOperands("input") }
        if textName != nil, format == .csv {
            throw context.usageError("--owners has no rows for CSV: dtvr tag --format csv prints them")
        }
        var output = try ReportOutput(context)
        var text: OwnerTextTags?
        if let textName {
            text = OwnerTextInput(textName, console: context.console)?.tags()
            if text == nil { return .noInput }
        }
        let jobs = context.invocation.number(.jobs) ?? ProcessInfo.processInfo.activeProcessorCount
        let inputs = try InputCheck(context, policy: policy, format: format, text: text, jobs: jobs)
        var reports = text.map { [HealthReport(verdict: $0.verdict(policy: policy))] } ?? []
        for source in context.operands where !Interruption.shared.isRequested {
            guard let checked = await inputs.check(source) else { continue }
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
}
