import HLSInput
import HostSystem
import Reporting
import StreamHealth

/// `dtvr check`: checks recorded input and prints a verdict.
struct CheckCommand {
    private let context: CommandContext
    private let policy: HealthPolicy

    init(_ context: CommandContext) {
        self.context = context
        policy = context.invocation.healthPolicy
    }

    func perform() async throws(UsageError) -> ExitStatus {
        let guide = CheckGuide(policy: policy, terminalWidth: context.console.width)
        if context.invocation.isOn(.list) {
            try context.refuseOperands()
            context.console.print(guide.table)
            return .done
        }
        if let topic = context.invocation[.explain] {
            context.console.print(guide.text(on: topic))
            return .done
        }
        let format = ReportFormat(rawValue: context.format) ?? .text
        let textName = context.invocation[.owners]
        if textName == nil { try context.requireOperands("input") }
        if textName != nil, format == .csv {
            throw context.usageError(
                "--owners does not support --format csv: use dtvr tag --format csv instead")
        }
        var output = ResultOutput(context)
        guard output.isUsable else { return .output }
        var text: OwnerTextTags?
        if let textName {
            text = OwnerTextInput(textName, console: context.console)?.tags()
            if Task.isCancelled { return .interrupted }
            if text == nil { return writeUnreadable([textName], format, &output) }
        }
        let inputs = try InputCheck(context, policy: policy, format: format, text: text)
        var reports = text.map { [HealthReport(verdict: $0.verdict(policy: policy))] } ?? []
        for source in context.operands where !Task.isCancelled && !output.isClosed {
            guard var report = await inputs.check(source) else { continue }
            if format == .csv {
                // Write rows after each input so that memory holds the rows of one input only.
                if reports.isEmpty { output.write(CSVReport.header) }
                output.write(report.rows)
                report.rows = []
            }
            reports.append(report)
        }
        if Task.isCancelled { return .interrupted }
        if reports.isEmpty { return writeUnreadable(context.operands, format, &output) }
        if format != .csv { output.write(document(of: reports, format, for: output)) }
        let hasFailed = reports.contains { $0.verdict.status == .fail }
        return output.finish(hasFailed ? .checkFailed : .done)
    }

    /// Handles the case that every source is unreadable: machine-readable formats still get a report.
    private func writeUnreadable(
        _ sources: [String], _ format: ReportFormat, _ output: inout ResultOutput
    ) -> ExitStatus {
        guard format.isForPrograms else { return .noInput }
        let reports = sources.map { HealthReport(unreadable: $0, policy: policy) }
        output.write(document(of: reports, format, for: output))
        return output.finish(.noInput)
    }

    private func document(
        of reports: [HealthReport], _ format: ReportFormat, for output: borrowing ResultOutput
    ) -> [UInt8] {
        format.document(
            of: reports, producer: "dtvr \(DTVR.version)", made: SystemClock().unixMilliseconds,
            isColored: output.isColored, terminalWidth: output.width)
    }
}
