import HLSInput
import TextForms

/// `dtvr scan`: prints the tags of recorded input.
struct ScanCommand: Command {
    static let declaration = CommandDeclaration(
        "scan",
        summary: "print the tags of recorded input",
        operands: "[INPUT]...",
        description: InputAccess.description,
        details: [
            """
            Prints a line for each tag, including repeats. A transport stream on standard input may be live: each tag \
            is printed once it is complete. The formats jsonl and csv are for programs, and use the \
            same keys.
            """,
            InputAccess.details, InputAccess.operandDetails, InputAccess.renditionDetails, InputList.details,
            InputConnection.details,
        ],
        settings: [
            .format(["text", "jsonl", "csv"]), .otherOwners, .separate, .inputs, .shard, .resumeScan,
            .rendition, .showSecrets,
            .allowPrivate, .jobs, .maxSegmentBytes, .cacert,
        ] + InputConnection.settings + Setting.limitsOfTags,
        exitStatuses: [.noInput],
        examples: [
            CommandExample("dtvr scan main.m3u8", "the tags as a table"),
            CommandExample(
                "dtvr scan --format jsonl main.m3u8 > tags.jsonl", "one JSON object for each tag"),
            CommandExample("receiver | dtvr scan -", "the tags of a live transport stream, as they arrive"),
            CommandExample(
                "dtvr scan --format jsonl --inputs list --resume tags.jsonl",
                "an archive, continued where it was interrupted"),
            CommandExample(
                "dtvr scan --all - < segment.ts", "also the tags of other owners, from a pipe"),
        ])

    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() async throws(UsageError) -> ExitStatus {
        if context.format != "jsonl" { try context.refuse([.resumeScan], "requires --format jsonl") }
        let connection = try InputConnection(context)
        var list = try InputList(context, orElse: connection.address)
        let printer = try TagPrinter(context)
        let printsOthers = context.invocation.isOn(.otherOwners)
        var inputs = try InputAccess(context, through: connection)
        inputs.splitsStreamsAtTags = true
        var totals = ReadingTotals()
        var isHeaderDue = true
        var output = ResultOutput(context, content: .tags)
        guard output.isUsable else { return .output }
        let showsSecrets = context.invocation.isOn(.showSecrets)
        let isResumed = context.invocation.isGiven(.resume)
        while !output.isClosed, let input = list.next() {
            if output.isFinished(input.source) {
                list.countSkipped()
                continue
            }
            guard let segments = await inputs.open(input) else {
                list.countFailed()
                continue
            }
            if isHeaderDue { printer.printHeader() }
            isHeaderDue = false
            var progress = InputProgress(segments, on: context.console, partOf: list.progress)
            for await reading in segments {
                let segment = showsSecrets ? reading : reading.printable
                if isResumed {
                    let lines = TagPrinter.jsonLines(of: segment)
                    if !lines.isEmpty { output.writeLine(lines, of: input.source) }
                } else {
                    printer.print(segment)
                }
                // The next tag of a stream may take a while.
                if segments.isStream { context.console.flush() }
                totals.add(segment)
                progress.add(segment)
                if output.isClosed { break }
            }
            progress.end()
            if progress.readCount == 0 { list.countFailed() }
        }
        if list.skippedCount > 0 {
            context.console.note(
                "skipped "
                    + DecimalText.count(list.skippedCount, "input that was", "inputs that were")
                    + " read before")
        }
        if totals.segmentCount > 0, totals.tagCount + totals.truncatedCount == 0,
            list.skippedCount == 0, !output.isClosed
        {
            let others = totals.otherCount
            let found =
                others == 0
                ? "" : "; tags of other owners: \(others)\(printsOthers ? "" : " (--all prints them)")"
            context.console.note("found no Nielsen tag\(found)")
        }
        if Task.isCancelled { return .interrupted }
        return output.finish(list.status(isAnyRead: totals.segmentCount > 0 || list.skippedCount > 0))
    }
}

extension Setting {
    /// The form of `--resume` for tags.
    static let resumeScan = resume.adapted {
        $0.help = """
            append the lines to FILE; skip the inputs that it has lines for, and read the last one of them again \
            (jsonl)
            """
    }
    static let otherOwners = Setting(
        "all", .toggle, help: "also print the tags of other owners (text and jsonl)")
}
