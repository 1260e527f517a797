import HLSInput
import HostSystem
import ID3v2
import NielsenID3
import Reporting
import StreamHealth
import TextForms

/// `dtvr check`: checks recorded input and prints a verdict.
struct CheckCommand: Command {
    static let declaration = CommandDeclaration(
        "check",
        summary: "check the tags of recorded input, and report each problem",
        operands: "[INPUT]...",
        description: """
            INPUT is a path or an http(s) address of a media segment, of a media or multivariant playlist or of a \
            directory of segments, or - for standard input. For a live playlist, the current window is read once. \
            Standard input is checked until it ends or the command is interrupted. \
            The result of each check is pass, warn, fail or not-run. The exit status is 1 if a check failed and 0 if \
            none did; with --strict, it is also 1 if the verdict does not stand for the whole input.
            """,
        details: [
            """
            Every variant of a multivariant playlist is read, with the default audio of its group, and the \
            variants are compared with each other. Every limit of a check is an option, and a report names the \
            limits that it used. --list lists the checks; --explain describes a check, the usual causes of its \
            failure, and what to do.
            """,
            """
            With --format jsonl, the verdict on each input is a line, written as soon as the input was read, so the \
            outputs of several shards can be concatenated. --resume FILE writes these lines to FILE and skips the \
            inputs that FILE has a line for, readable or not, so that a command that was killed can be repeated.
            """,
            """
            --strict is for pipelines, in which nothing to judge is not a success: without a DATA tag, or with a \
            segment, a rendition or an input that could not be read, the exit status is 1. The reason is printed on \
            standard error, and is the error of the input in json, jsonl, junit, sarif and github. If no input could \
            be read, the exit status remains 3.
            """,
            """
            --format sarif writes SARIF 2.1.0, which code hosts show as annotations. --format github writes the \
            workflow commands of GitHub Actions, with a line for each verdict. Both have a result for each group of \
            findings that did not pass, and one of the rule input for an input that could not be read.
            """,
            InputAccess.details, InputAccess.operandDetails, InputList.details, InputConnection.details,
        ],
        settings: [
            .format(["text", "json", "jsonl", "csv", "html", "junit", "sarif", "github"]), .separate, .inputs,
            .shard, .resume,
            .rendition.adapted {
                $0.defaultText = "all"
                $0.help =
                    "which renditions of a multivariant playlist to read; all: every variant, and the default audio "
                    + "of its group"
            },
            .allChecks, .showSecrets, .allowPrivate, .jobs, .maxSegmentBytes, .output, .cacert, .against,
            .owners,
            .strict,
        ] + InputConnection.settings + [.explain, .list] + Setting.limitsOfReports,
        exitStatuses: [.checkFailed, .noInput],
        examples: [
            CommandExample(
                "dtvr check main.m3u8", "every variant and its audio, compared with each other"),
            CommandExample(
                "dtvr check --format html --output report.html main.m3u8",
                "a self-contained page with plots"),
            CommandExample(
                "dtvr check --format junit live/*.m3u8",
                "one test case for each check, for continuous integration"),
            CommandExample(
                "dtvr check --strict --format github live/*.m3u8",
                "annotations of GitHub Actions, and status 1 if nothing was judged"),
            CommandExample(
                "dtvr check --against origin/main.m3u8 edge/main.m3u8",
                "the tags that were lost between the two"),
            CommandExample(
                "dtvr check --channels tv --channel one",
                "a protected channel of the monitor"),
            CommandExample(
                "dtvr check --header 'X-Token: ${TOKEN}' https://example.com/a.m3u8",
                "a protected address"),
            CommandExample(
                "dtvr check --owners player.log main.m3u8", "compared with the tags in a player log"),
            CommandExample(
                "dtvr check --limit-gap 12s --rendition lowest main.m3u8", "with your own limit"),
            CommandExample(
                "dtvr check --format jsonl --inputs list --shard 0/16 --resume 0.jsonl",
                "a sixteenth of an archive, continued where it was interrupted"),
            CommandExample(
                "dtvr check --explain time.gap", "what a check means, and what to do when it fails"),
        ])

    private let context: CommandContext
    private let policy: HealthPolicy

    init(_ context: CommandContext) {
        self.context = context
        policy = context.invocation.healthPolicy
    }

    func perform() async throws(UsageError) -> ExitStatus {
        let guide = RuleGuide.checks(policy: policy, terminalWidth: context.console.width)
        let others = [Setting.format, .allChecks, .output, .owners, .resume, .strict] + Self.inputSettings
        if try guide.answers(context, refusing: others) { return .done }
        let format = ReportFormat(rawValue: context.format) ?? .text
        if format != .text { try context.refuse([.allChecks], "requires --format text") }
        let textName = context.invocation[.owners]
        let connection = try InputConnection(context)
        let hasInputs = !context.operands.isEmpty || connection.address != nil
        if textName != nil, !hasInputs, context.invocation[.inputs] == nil {
            try context.refuse(Self.inputSettings, "requires an INPUT")
        }
        if textName != nil, format == .csv {
            throw context.usageError(
                "--owners does not support --format csv: use dtvr tag --format csv instead")
        }
        if format != .jsonl { try context.refuse([.resume], "requires --format jsonl") }
        if context.invocation.isGiven(.resume) {
            try context.refuse([.output], "cannot be combined with --resume")
        }
        var list = try InputList(
            context, orElse: connection.address, requiresInputs: textName == nil)
        var output = ResultOutput(context)
        guard output.isUsable else { return .output }
        var text: OwnerTextTags?
        if let textName {
            text = OwnerTextInput(textName, console: context.console)?.tags(policy: policy.tagPolicy)
            if Task.isCancelled { return .interrupted }
            if text == nil { return write([unreadableReport(textName)], format, &output) }
        }
        let inputs = try InputCheck(context, through: connection, policy: policy, format: format, text: text)
        let first = text.map { judged(HealthReport(verdict: $0.verdict(policy: policy))) }
        if format == .jsonl { return await writeLines(of: &list, first, through: inputs, to: &output) }
        var reports = [first].compactMap(\.self)
        var readCount = reports.count
        var unreadable: [HealthReport] = []
        while !Task.isCancelled, !output.isClosed, let input = list.next() {
            do throws(UnreadableInput) {
                var report = judged(try await inputs.check(input, partOf: list.progress))
                if format == .csv {
                    // Write rows after each input so that memory holds the rows of one input only.
                    if readCount == 0 { output.write(CSVReport.header) }
                    output.write(csv: report.rows)
                    report.rows = []
                }
                readCount += 1
                reports.append(report)
            } catch {
                list.countFailed()
                let isListed = isStrict && format.isForPrograms || format.isForAnnotations
                let report = unreadableReport(input.source, isListed ? error.reason : nil)
                unreadable.append(report)
                if isListed { reports.append(report) }
            }
        }
        let isWhole = list.endsAtInterruption && readCount > 0
        if Task.isCancelled, !isWhole { return .interrupted }
        if readCount == 0 {
            let status = list.status(isAnyRead: false)
            return status == .done ? output.finish(.done) : write(unreadable, format, &output)
        }
        if format != .csv { output.write(document(of: reports, format, for: output)) }
        let isShort = isStrict && (list.hasFailed || reports.contains { $0.error != nil })
        let hasFailed = isShort || reports.contains { $0.verdict.status == .fail }
        return output.finish(hasFailed ? .checkFailed : list.status(isAnyRead: true))
    }

    private var isStrict: Bool { context.invocation.isOn(.strict) }

    /// Returns a report with its shortfall as its error if the user asks for completeness, and prints that.
    private func judged(_ report: HealthReport) -> HealthReport {
        guard isStrict else { return report }
        var report = report
        if let reason = report.requireCompleteness() {
            context.console.note("\(report.verdict.source): --strict: \(reason)")
        }
        return report
    }

    private func unreadableReport(_ source: String, _ reason: String? = nil) -> HealthReport {
        HealthReport(unreadable: context.printable(source), policy: policy, reason: reason)
    }

    /// Writes a line after each input, so that memory does not depend on the number of inputs.
    private func writeLines(
        of list: inout InputList, _ first: HealthReport?, through inputs: InputCheck,
        to output: inout ResultOutput
    ) async -> ExitStatus {
        var worst: CheckStatus?
        var isShort = false
        func write(_ report: HealthReport, of input: String, to output: inout ResultOutput) {
            worst = max(worst ?? report.verdict.status, report.verdict.status)
            if report.error != nil { isShort = true }
            output.writeLine(document(of: [report], .jsonl, for: output), of: input)
        }
        if let first { write(first, of: first.verdict.source, to: &output) }
        while !Task.isCancelled, !output.isClosed, let input = list.next() {
            if output.isFinished(input.source) {
                list.countSkipped()
                continue
            }
            do throws(UnreadableInput) {
                write(
                    judged(try await inputs.check(input, partOf: list.progress)), of: input.source,
                    to: &output)
            } catch {
                if Task.isCancelled { break }
                list.countFailed()
                if isStrict { isShort = true }
                let report = unreadableReport(input.source, error.reason)
                output.writeLine(document(of: [report], .jsonl, for: output), of: input.source)
            }
        }
        if list.skippedCount > 0 {
            context.console.note(
                "skipped "
                    + DecimalText.count(list.skippedCount, "input that was", "inputs that were")
                    + " checked before")
        }
        if Task.isCancelled, !list.endsAtInterruption || worst == nil { return .interrupted }
        if worst == .fail || isShort && worst != nil { return output.finish(.checkFailed) }
        return output.finish(list.status(isAnyRead: worst != nil || list.skippedCount > 0))
    }

    /// The settings that have an effect only on inputs.
    private static let inputSettings: [Setting] =
        [
            .rendition, .showSecrets, .allowPrivate, .jobs, .maxSegmentBytes, .cacert, .against, .separate,
            .inputs, .shard,
        ] + InputConnection.settings

    /// Handles the case that every source is unreadable: machine-readable formats still get a report.
    private func write(
        _ reports: [HealthReport], _ format: ReportFormat, _ output: inout ResultOutput
    ) -> ExitStatus {
        guard format.isForPrograms else { return .noInput }
        output.write(document(of: reports, format, for: output))
        return output.finish(.noInput)
    }

    private func document(
        of reports: [HealthReport], _ format: ReportFormat, for output: borrowing ResultOutput
    ) -> [UInt8] {
        format.document(
            of: reports, producer: "dtvr \(DTVR.version)", made: SystemClock().unixMilliseconds,
            isColored: output.isColored, terminalWidth: output.width,
            listsAllChecks: context.invocation.isOn(.allChecks))
    }
}

extension Setting {
    /// The form of `--all` that lists checks.
    static let allChecks = otherOwners.adapted { $0.help = "also list the checks that did not run (text)" }
    static let against = Setting(
        "against", .text("INPUT"),
        help: "compare the tags with those of another input, such as the same stream before a packager")
    static let owners = Setting(
        "owners", .path("FILE|-"),
        help: "compare the tags with the owner identifiers in a text file, such as the log of a player")
    static let resume = Setting(
        "resume", .path("FILE"),
        help: "append the lines to FILE, and skip the inputs that it has a line for (jsonl)")
    static let explain = Setting(
        "explain",
        .choice(RuleGuide.checkTopics + ["list"], shownAs: "ID|all|list"),
        help: """
            instead of checking, explain the check or rule with this id, and what to do; list: same as --list
            """)
    static let list = Setting(
        "list", .toggle,
        help: """
            instead of checking, list the checks: id, worst status, meaning, and limits with their defaults
            """)
}
