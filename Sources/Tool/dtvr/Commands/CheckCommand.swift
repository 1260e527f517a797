import HLSInput
import HostSystem
import ID3v2
import NielsenID3
import Reporting
import StreamHealth

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
            none did.
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
            InputAccess.details, InputAccess.operandDetails, InputList.details,
        ],
        settings: [
            .format(["text", "json", "jsonl", "csv", "html", "junit"]), .separate, .inputs, .shard, .resume,
            .rendition.adapted {
                $0.defaultText = "all"
                $0.help =
                    "which renditions of a multivariant playlist to read; all: every variant, and the default audio "
                    + "of its group"
            },
            .allChecks, .showSecrets, .allowPrivate, .jobs, .maxSegmentBytes, .output, .cacert, .against,
            .owners,
            .explain, .list,
        ] + Setting.limitsOfReports,
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
                "dtvr check --against origin/main.m3u8 edge/main.m3u8",
                "the tags that were lost between the two"),
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
        let others = [Setting.format, .allChecks, .output, .owners, .resume] + Self.inputSettings
        if try guide.answers(context, refusing: others) { return .done }
        let format = ReportFormat(rawValue: context.format) ?? .text
        if format != .text { try context.refuse([.allChecks], "requires --format text") }
        let textName = context.invocation[.owners]
        if textName != nil, context.operands.isEmpty, context.invocation[.inputs] == nil {
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
        var list = try InputList(context, requiresInputs: textName == nil)
        var output = ResultOutput(context)
        guard output.isUsable else { return .output }
        var text: OwnerTextTags?
        if let textName {
            text = OwnerTextInput(textName, console: context.console)?.tags(policy: policy.tagPolicy)
            if Task.isCancelled { return .interrupted }
            if text == nil { return writeUnreadable([textName], format, &output) }
        }
        let inputs = try InputCheck(context, policy: policy, format: format, text: text)
        let first = text.map { HealthReport(verdict: $0.verdict(policy: policy)) }
        if format == .jsonl { return await writeLines(of: &list, first, through: inputs, to: &output) }
        var reports = [first].compactMap(\.self)
        var unreadable: [String] = []
        while !Task.isCancelled, !output.isClosed, let input = list.next() {
            guard var report = await report(on: input, inputs, partOf: list.progress) else {
                list.countFailed()
                unreadable.append(input.source)
                continue
            }
            if format == .csv {
                // Write rows after each input so that memory holds the rows of one input only.
                if reports.isEmpty { output.write(CSVReport.header) }
                output.write(csv: report.rows)
                report.rows = []
            }
            reports.append(report)
        }
        let isWhole = list.endsAtInterruption && !reports.isEmpty
        if Task.isCancelled, !isWhole { return .interrupted }
        if reports.isEmpty {
            let status = list.status(isAnyRead: false)
            return status == .done ? output.finish(.done) : writeUnreadable(unreadable, format, &output)
        }
        if format != .csv { output.write(document(of: reports, format, for: output)) }
        let hasFailed = reports.contains { $0.verdict.status == .fail }
        return output.finish(hasFailed ? .checkFailed : list.status(isAnyRead: true))
    }

    /// Writes a line after each input, so that memory does not depend on the number of inputs.
    private func writeLines(
        of list: inout InputList, _ first: HealthReport?, through inputs: InputCheck,
        to output: inout ResultOutput
    ) async -> ExitStatus {
        var worst: CheckStatus?
        func write(_ report: HealthReport, of input: String, to output: inout ResultOutput) {
            worst = max(worst ?? report.verdict.status, report.verdict.status)
            output.writeLine(document(of: [report], .jsonl, for: output), of: input)
        }
        if let first { write(first, of: first.verdict.source, to: &output) }
        while !Task.isCancelled, !output.isClosed, let input = list.next() {
            if output.isFinished(input.source) {
                list.countSkipped()
                continue
            }
            do throws(UnreadableInput) {
                write(try await inputs.check(input, partOf: list.progress), of: input.source, to: &output)
            } catch {
                if Task.isCancelled { break }
                list.countFailed()
                let report = HealthReport(
                    unreadable: context.printable(input.source), policy: policy, reason: error.reason)
                output.writeLine(document(of: [report], .jsonl, for: output), of: input.source)
            }
        }
        if list.skippedCount > 0 {
            context.console.note("skipped \(list.skippedCount) inputs that were checked before")
        }
        if Task.isCancelled, !list.endsAtInterruption || worst == nil { return .interrupted }
        if worst == .fail { return output.finish(.checkFailed) }
        return output.finish(list.status(isAnyRead: worst != nil || list.skippedCount > 0))
    }

    /// Returns the report on an input, or nil after printing why there is none.
    private func report(
        on input: InputOperand, _ inputs: InputCheck, partOf whole: ProgressBar?
    ) async -> HealthReport? {
        do throws(UnreadableInput) {
            return try await inputs.check(input, partOf: whole)
        } catch {
            return nil
        }
    }

    /// The settings that have an effect only on inputs.
    private static let inputSettings: [Setting] = [
        .rendition, .showSecrets, .allowPrivate, .jobs, .maxSegmentBytes, .cacert, .against, .separate,
        .inputs, .shard,
    ]

    /// Handles the case that every source is unreadable: machine-readable formats still get a report.
    private func writeUnreadable(
        _ sources: [String], _ format: ReportFormat, _ output: inout ResultOutput
    ) -> ExitStatus {
        guard format.isForPrograms else { return .noInput }
        let reports = sources.map { HealthReport(unreadable: context.printable($0), policy: policy) }
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

/// Reads and checks complete inputs, and compares each with another source or an owner text if the user names one.
struct InputCheck {
    let context: CommandContext
    let policy: HealthPolicy
    let format: ReportFormat
    /// The owner identifiers to compare the tags with, or nil without an owner text.
    let text: OwnerTextTags?

    private let inputs: InputAccess
    private let otherInputs: InputAccess

    init(
        _ context: CommandContext, policy: HealthPolicy, format: ReportFormat, text: OwnerTextTags?
    ) throws(UsageError) {
        self.context = context
        self.policy = policy
        self.format = format
        self.text = text
        inputs = try InputAccess(context, compares: true)
        otherInputs = try InputAccess(context, compares: true, choice: .lowest)
    }

    /// Checks an input and returns its report; throws if the input or its comparison source is unreadable, or if the
    /// user interrupted.
    ///
    /// Errors have already been printed when it throws.
    ///
    /// - Parameter whole: The progress of all inputs; nil if there is only this one.
    func check(_ input: InputOperand, partOf whole: ProgressBar?) async throws(UnreadableInput)
        -> HealthReport
    {
        let segments = try await inputs.readings(of: input)
        let outline = segments.outline
        var other: SegmentReadings?
        if let name = context.invocation[.against] {
            other = try await otherInputs.readings(of: InputOperand(name))
        }
        var comparison = other.map {
            TagComparison(outline, against: $0.outline, policy: policy)
        }
        var textComparison = text.map {
            TagComparison(outline, againstOwnersIn: $0.source, policy: policy)
        }
        var reading = CheckedReading(
            segments, policy: policy, now: WallTime(unixMilliseconds: SystemClock().unixMilliseconds),
            for: format)
        var progress = InputProgress(segments, on: context.console, partOf: whole)
        var verdict = await reading.read { segment in
            comparison?.observe(segment.observation)
            textComparison?.observe(segment.observation)
            progress.add(segment)
        }
        try end(progress, of: input.source, endsAtInterruption: Self.endsAtInterruption(input.source))
        if let other {
            try await read(other, partOf: whole) { comparison?.observe($0, isOther: true) }
            if let rows = comparison?.finish() { verdict.add(rows) }
        }
        if let text {
            textComparison?.observe(text)
            if let rows = textComparison?.finish() { verdict.add(rows) }
        }
        return reading.report(verdict)
    }

    /// Reads the source to compare with.
    private func read(
        _ segments: SegmentReadings, partOf whole: ProgressBar?, _ observe: (SegmentObservation) -> Void
    ) async throws(UnreadableInput) {
        var progress = InputProgress(segments, on: context.console, partOf: whole)
        for await segment in segments {
            observe(segment.observation)
            progress.add(segment)
        }
        try end(progress, of: segments.presentation.source)
    }

    /// Whether an interruption is the end of the input: standard input may be a live stream, which has no other.
    static func endsAtInterruption(_ source: String) -> Bool { source == "-" }

    /// Ends the progress, and throws if no segment was readable or the user interrupted.
    private func end(
        _ progress: InputProgress, of source: String, endsAtInterruption: Bool = false
    ) throws(UnreadableInput) {
        progress.end()
        let source = context.printable(source)
        if progress.readCount == 0 { throw UnreadableInput(reason: "\(source): no segment could be read") }
        if !endsAtInterruption, Task.isCancelled { throw UnreadableInput(reason: "\(source): interrupted") }
    }
}
