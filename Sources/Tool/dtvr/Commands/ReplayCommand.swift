import FoundationEssentials
import PlayerSession
import TagDelivery
import TagStore
import TextForms

/// `dtvr replay`: repeats the calls in logs on real sessions.
struct ReplayCommand: Command {
    static let declaration = CommandDeclaration(
        "replay",
        summary: "replay the calls of a player log on a real session",
        operands: "LOG...",
        description: """
            LOG is a file of JSON lines, each a call of a player with its arguments, or - for standard input. A real \
            session executes the calls, buffers their tags, and delivers them if --collector names a collector. The \
            last line is a summary. The results of the calls do not affect the exit status.
            """,
        details: [
            """
            Each line of a log is an object with the keys at, the seconds since the start; call, the \
            case-insensitive name of a call; and arguments, a list. The bytes of a tag are a string of the \
            characters U+0000 to U+00FF. The optional key instance names one of several sessions. Lines that begin \
            with # are comments. Calls run in the order of the file, regardless of at.
            """,
            """
            Each call has an outcome: stored, held (the playhead has not reached the tag), repeat, ignored (a tag \
            of another owner), invalid, discarded (opted out, or disabled), done, error or unreadable. It also has \
            findings: the violations of the players' guides. --list lists the findings, and --explain describes \
            one, with what to do. Tags that are still held at the end are sent as not presented.
            """,
            """
            Without the flag --store, the buffer is a temporary folder that is deleted at the end, so that the tags \
            of a test are not in the buffer of the next dtvr-upload(1).
            """,
        ],
        settings: [
            .format(["text", "jsonl"]),
            .store.adapted {
                $0.help =
                    "the folder of the buffer; without this flag, a temporary folder that is deleted at the end"
            },
            .maxAge, .maxBytes, .whenFull, .wait, .collector, .tokenFile,
            .cacert, .playerConfig, .speed, .timeout, .keepRepeats, .log,
            .explain.adapted {
                $0.kind = .choice(RuleGuide.findingTopics + ["list"], shownAs: "ID|all|list")
                $0.help =
                    "instead of replaying, explain the finding with this id, and what to do; list: same as --list"
                $0.suggestions = RuleGuide.findingTopics + ["list"]
            },
            .list.adapted { $0.help = "instead of replaying, list the findings: id and meaning" },
        ],
        exitStatuses: [.noInput, .store, .delivery],
        variables: [ManualItem("TMPDIR", "The folder for the temporary buffer; by default, /tmp.")],
        examples: [
            CommandExample("dtvr replay calls.jsonl", "the outcome of each call, as a table"),
            CommandExample(
                "dtvr replay --format jsonl --store replayed calls.jsonl",
                "the same as JSON lines, with the tags in a separate buffer"),
            CommandExample(
                "dtvr replay --collector https://collector.example.com/ calls.jsonl",
                "replay the calls and deliver the tags"),
            CommandExample("dtvr replay --explain tag.after-stop", "what a finding means, and what to do"),
        ])

    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() async throws(UsageError) -> ExitStatus {
        let guide = RuleGuide.findings(terminalWidth: context.console.width)
        if try guide.answers(context, refusing: Self.replaySettings) { return .done }
        try context.requireOperands("log")
        let speed = try speed()
        let configuration = try configuration()
        if context.invocation.isGiven(.log), context.operands.count > 1 {
            throw context.usageError("--log takes the calls of one LOG")
        }
        let delivery = try Delivery(context)
        if !delivery.hasCollector { try context.refuse([.cacert], "requires --collector") }
        let isTemporary = !context.invocation.isGiven(.store)
        if isTemporary { try context.refuse([.wait], "requires --store") }
        let access = isTemporary ? StoreAccess(temporaryFor: context) : try StoreAccess(context)
        defer { if isTemporary { access.remove() } }
        guard let store = await access.open() else { return access.statusWithoutStore }
        let before = store.totals()
        var summary = ReplaySummary()
        var openedCount = 0
        for log in context.operands where !Task.isCancelled && !context.console.isOutputClosed {
            let replay = CallReplay(
                buffer: store, configuration: configuration, directory: access.directory, speed: speed,
                keepsRepeats: context.invocation.isOn(.keepRepeats), log: context.invocation[.log])
            if await read(log, into: replay) { openedCount += 1 }
            summary.add(replay.summary)
            await replay.finish()
        }
        let delivered = await delivery.drain(
            store, timeLimit: .seconds(context.invocation.seconds(.timeout) ?? 0),
            isQuiet: context.format == "jsonl", isTemporary: isTemporary)
        let closed = await access.close(.own(store), lostBefore: before.losses.memoryLost)
        summary.buffer = store.totals()
        print(summary)
        let refused = store.totals().refused - before.refused
        if refused > 0 {
            context.console.note(
                DecimalText.count(refused, "record")
                    + " did not fit into the buffer, and \(refused == 1 ? "was" : "were") lost")
        }
        if Task.isCancelled { return .interrupted }
        if closed != .done || refused > 0 { return .store }
        if delivered != .done { return delivered }
        let hasNothingReadable = summary.callCount == 0 && summary.unreadableCount > 0
        return openedCount == 0 || hasNothingReadable ? .noInput : .done
    }

    /// Replays the calls of a log, and returns false if the log cannot be opened.
    private func read(_ log: String, into replay: CallReplay) async -> Bool {
        let name = context.operands.count > 1 ? log : nil
        return await CallLogInput(context: context).read(log, with: CallLogReader()) {
            print(await replay.perform($0), of: name)
        }
    }

    // MARK: Output

    private func print(_ call: ReplayedCall, of log: String?) {
        guard context.format == "jsonl" else { return context.console.print(call.text) }
        var writer = JSONWriter()
        call.write(to: &writer, log: log)
        writer.endLine()
        context.console.print(bytes: writer.bytes)
    }

    private func print(_ summary: ReplaySummary) {
        guard context.format == "jsonl" else {
            for line in summary.textLines { context.console.print(line) }
            return
        }
        var writer = JSONWriter()
        summary.write(to: &writer)
        writer.endLine()
        context.console.print(bytes: writer.bytes)
    }

    // MARK: Settings

    /// The settings that have no effect beside `--explain`.
    private static let replaySettings: [Setting] = [
        .format, .store, .maxAge, .maxBytes, .whenFull, .wait, .collector, .tokenFile, .cacert, .playerConfig,
        .speed,
        .timeout, .keepRepeats, .log,
    ]

    private func speed() throws(UsageError) -> CallReplay.Speed {
        let text = context.invocation[.speed] ?? "max"
        if text == "max" { return .maximum }
        guard let factor = Double(text), factor.isFinite, factor >= 0.001 else {
            throw context.usageError("--speed takes a number of 0.001 or more, or max, not '\(text)'")
        }
        return .times(factor)
    }

    private func configuration() throws(UsageError) -> ConfigurationSource {
        guard let file = context.invocation[.playerConfig] else { return .none }
        guard FileManager.default.isReadableFile(atPath: file) else {
            throw context.usageError("--player-config: cannot read '\(file)'")
        }
        return .file(path: file)
    }
}

extension Setting {
    static let playerConfig = Setting(
        "player-config", .path("FILE"),
        help: "the configuration of the sessions (JSON), such as the meaning of the app's keys")
    static let log = Setting(
        "log", .path("FILE"),
        help: "write the calls and their results to FILE, as a log that dtvr replay reads")
    static let speed = Setting(
        "speed", .text("N|max"), default: "max",
        help: "the replay speed as a multiple of the speed of the log; max: without waiting")
    static let keepRepeats = Setting(
        "keep-repeats", .toggle, help: "also store a tag that is identical to the one before")
    static let timeout = Setting(
        "timeout", .duration(0...604_800), default: "20s",
        help: "how long to try to deliver; undelivered tags stay in the buffer of --store")
}
