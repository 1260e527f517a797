import HLSInput

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
            is printed as soon as it is complete. The formats jsonl and csv are for programs, and use the \
            same keys.
            """,
            InputAccess.details, InputAccess.renditionDetails, InputList.details,
        ],
        settings: [
            .format(["text", "jsonl", "csv"]), .otherOwners, .inputs, .shard, .rendition, .allowPrivate,
            .jobs,
            .maxSegmentBytes, .cacert,
        ] + Setting.limitsOfTags,
        exitStatuses: [.noInput],
        examples: [
            CommandExample("dtvr scan main.m3u8", "the tags as a table"),
            CommandExample(
                "dtvr scan --format jsonl main.m3u8 > tags.jsonl", "one JSON object for each tag"),
            CommandExample("receiver | dtvr scan -", "the tags of a live transport stream, as they arrive"),
            CommandExample(
                "dtvr scan --all - < segment.ts", "also the tags of other owners, from a pipe"),
        ])

    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() async throws(UsageError) -> ExitStatus {
        var list = try InputList(context)
        let printer = try TagPrinter(context)
        let printsOthers = context.invocation.isOn(.otherOwners)
        var inputs = try InputAccess(context)
        inputs.splitsStreamsAtTags = true
        var totals = ReadingTotals()
        var isHeaderDue = true
        while !context.console.isOutputClosed, let source = list.next() {
            guard let segments = await inputs.open(source) else { continue }
            if isHeaderDue { printer.printHeader() }
            isHeaderDue = false
            var progress = InputProgress(segments, on: context.console)
            for await segment in segments {
                printer.print(segment)
                // The next tag of a stream may take a while.
                if segments.isStream { context.console.flush() }
                totals.add(segment)
                progress.add(segment)
                if context.console.isOutputClosed { break }
            }
            progress.end()
        }
        if totals.segmentCount > 0, totals.tagCount + totals.truncatedCount == 0,
            !context.console.isOutputClosed
        {
            let others = totals.otherCount
            let found =
                others == 0
                ? "" : "; tags of other owners: \(others)\(printsOthers ? "" : " (--all prints them)")"
            context.console.note("found no Nielsen tag\(found)")
        }
        if Task.isCancelled { return .interrupted }
        return list.status(isAnyRead: totals.segmentCount > 0)
    }
}

extension Setting {
    static let otherOwners = Setting(
        "all", .toggle, help: "also print the tags of other owners (text and jsonl)")
}
