import FoundationEssentials
import HostSystem
import NielsenID3
import TagDelivery
import TagRecord
import TagStore
import TextForms

/// `dtvr store`: inspects and maintains the buffer.
struct StoreCommand: Command {
    static let declaration = CommandDeclaration(
        "store",
        summary: "inspect the buffer, export from it or clean it up",
        operands: "status | list | export | prune | verify | retry",
        choices: Action.allCases.map(\.rawValue),
        description: """
            status shows the waiting and the lost tags, list prints the waiting tags, export writes them as NDJSON, \
            prune deletes those older than --older-than, and verify checks every row. With --dead, list, export and \
            prune apply to the dead letters instead: the tags that a collector permanently refused. retry moves the \
            dead letters back to the waiting tags.
            """,
        details: [
            """
            The buffer is a folder. By default it holds tags for ten days in up to 30,000,000 bytes; --max-age and \
            --max-bytes change these limits. A tag leaves the buffer when a collector accepts or refuses it, when \
            it is too old, or when the buffer is full, and each of these is counted. Only one process at a time \
            owns a buffer. A running dtvr-monitor(1) serves its buffer to other commands through buffer.sock in the \
            folder; for any other owner, they wait for up to the time of --wait. status never waits.
            """
        ],
        settings: [
            .format(["text", "json"]).adapted { $0.help = "status, list: the format of the results" },
            .store, .maxAge, .maxBytes, .whenFull, .olderThan, .dead, .wait,
            .output.adapted { $0.help = "export: write to FILE instead of standard output" },
        ],
        exitStatuses: [.store],
        variables: [
            ManualItem(
                "TMPDIR", "The folder for a copy of a buffer on a read-only file system; by default, /tmp.")
        ],
        examples: [
            CommandExample("dtvr store status", "the waiting tags, and the lost tags by cause"),
            CommandExample(
                "dtvr store export --output tags.ndjson",
                "the waiting tags as a collector would receive them"
            ),
            CommandExample("dtvr store list --dead", "the tags that a collector permanently refused"),
            CommandExample(
                "dtvr store prune --older-than 3d", "delete the tags that are older than three days"),
        ])

    /// The actions of the command.
    enum Action: String, CaseIterable, Sendable {
        case status
        case list
        case export
        case prune
        case verify
        case retry
    }

    private static let received = TextTableColumn("RECEIVED (UTC)", 24)
    private static let deadLetterColumns = [
        TextTableColumn("REFUSED (UTC)", 24), TextTableColumn("CODE", 16),
    ]

    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() async throws(UsageError) -> ExitStatus {
        try context.requireOperands("action")
        guard context.operands.count == 1, let action = Action(rawValue: context.operands[0]) else {
            let known = Action.allCases.map(\.rawValue)
            let given = context.operands.joined(separator: " ")
            throw context.usageError(
                "the action must be one of \(known.joined(separator: ", ")), not '\(given)'"
                    + Suggestion.text(for: given, among: known))
        }
        for setting in [Setting.format, .dead, .output, .olderThan, .wait] where !setting.applies(to: action)
        {
            let actions = Action.allCases.filter(setting.applies).map(\.rawValue)
            try context.refuse(
                [setting], "is for \(actions.joined(separator: ", ")), not for \(action.rawValue)")
        }
        let age = context.invocation.seconds(.olderThan)
        if action == .prune, age == nil { throw context.usageError("prune needs --older-than") }
        var access = try StoreAccess(context)
        access.trustedUsers = .allForRoot
        access.onlyLooks = [.status, .list, .export, .verify].contains(action)
        guard access.findsBuffer() else { return .store }
        if action == .status { return await status(access) }
        guard let store = await access.openToShare() else { return access.statusWithoutStore }
        let status: ExitStatus
        do throws(StoreError) {
            switch action {
            case .status: status = .done
            case .list: status = try await isJSON ? listJSON(store) : list(store)
            case .export: status = try await export(store)
            case .retry:
                context.console.print(
                    "put back \(DecimalText.count(try await store.retryDeadLetters(), "tag"))")
                status = .done
            case .prune: status = try await prune(store, age: age ?? 0)
            case .verify: status = try await verify(store)
            }
        } catch {
            context.console.note("\(access.directory): \(error)")
            status = .store
        }
        await store.close()
        return status
    }

    private func prune(_ store: BufferAccess, age: Double) async throws(StoreError) -> ExitStatus {
        let count = try await store.prune(rows, olderThan: .seconds(age))
        context.console.print(
            "pruned \(DecimalText.count(count, isAboutDeadLetters ? "dead letter" : "tag"))")
        return .done
    }

    /// Whether the command is about dead letters instead of waiting tags.
    private var isAboutDeadLetters: Bool { context.invocation.isOn(.dead) }

    private var isJSON: Bool { context.format == "json" }

    private var rows: BufferRows { isAboutDeadLetters ? .deadLetters : .waiting }

    private func list(_ store: BufferAccess) async throws(StoreError) -> ExitStatus {
        let table = TextTagTable(
            terminalWidth: context.console.width,
            leading: isAboutDeadLetters ? Self.deadLetterColumns : [Self.received])
        context.console.print(context.console.bold(table.header))
        return try await eachTag(
            of: store, until: { context.console.isOutputClosed },
            do: { row, record in
                let cells =
                    row.refusal.map {
                        [RFC3339.text(unixMilliseconds: $0.time), PrintableText.of($0.code)]
                    }
                    ?? [RFC3339.text(unixMilliseconds: row.received)]
                let lines =
                    switch record {
                    case .tag(let tag): table.lines(of: tag, leadingCells: cells)
                    case .player(let record): table.lines(record.textCells, cells)
                    case .period(let period): table.lines(period.textCells, cells)
                    }
                for line in lines { context.console.print(line) }
            })
    }

    /// Prints an array of the objects that `export` writes, one per line.
    private func listJSON(_ store: BufferAccess) async throws(StoreError) -> ExitStatus {
        var writer = JSONWriter()
        var separator = "["
        let status = try await eachTag(
            of: store, until: { context.console.isOutputClosed },
            do: { row, record in
                writer.removeAll()
                row.write(record, to: &writer)
                context.console.print(bytes: Array(separator.utf8) + writer.bytes)
                separator = ",\n"
            })
        context.console.print(separator == "[" ? "[]" : "]")
        return status
    }

    /// Calls `body` for each waiting tag or dead letter, oldest first, reading a page at a time.
    private func eachTag(
        of store: BufferAccess, until isDone: () -> Bool, do body: (BufferRow, StoredRecord) -> Void
    ) async throws(StoreError) -> ExitStatus {
        var last: Int64 = 0
        var unreadable = 0
        while !isDone(), !Interruption.shared.isRequested {
            let page = try await store.page(of: rows, after: last)
            guard let end = page.last else { break }
            last = end.sequence
            for row in page {
                do throws(StoredBody.DecodingError) {
                    body(row, try row.record())
                } catch {
                    unreadable += 1
                    context.console.note("tag \(row.sequence): its stored body cannot be read: \(error)")
                }
            }
        }
        if Interruption.shared.isRequested { return .interrupted }
        return unreadable == 0 ? .done : .store
    }

    private func export(_ store: BufferAccess) async throws(StoreError) -> ExitStatus {
        var writer = JSONWriter()
        var output = ResultOutput(context)
        guard output.isUsable else { return .output }
        let status = try await eachTag(
            of: store, until: { output.isClosed },
            do: { row, record in
                writer.removeAll()
                row.write(record, to: &writer)
                writer.endLine()
                output.write(writer.bytes)
            })
        return status == .interrupted ? status : output.finish(status)
    }

    private func verify(_ store: BufferAccess) async throws(StoreError) -> ExitStatus {
        let found = try await store.verify()
        context.console.print(
            "\(DecimalText.count(found.rowCount, "row")) read, \(found.damagedCount) damaged")
        for sequence in found.damagedSequences { context.console.print("damaged: tag \(sequence)") }
        for problem in found.structureProblems { context.console.print("structure: \(problem)") }
        let mark = found.highWaterMark.map { String($0) } ?? "missing"
        context.console.print("last sequence \(found.lastSequence), high-water mark \(mark)")
        context.console.print(found.isIntact ? "intact" : "damaged")
        return found.isIntact ? .done : .store
    }

    private func status(_ access: StoreAccess) async -> ExitStatus {
        let report: StoreReport
        do throws(StoreError) {
            let store = try await access.buffer()
            report = StoreReport(try await access.status(of: store), directory: access.directory, owner: nil)
            await store.close()
        } catch {
            guard case .inUse(let pid) = error, let last = await access.statusOfHolder() else {
                context.console.note("\(access.directory): \(error)")
                return .store
            }
            report = StoreReport(last, directory: access.directory, owner: pid ?? last.processID)
        }
        if isJSON {
            context.console.print(report.json)
        } else {
            for line in report.lines { context.console.print(line) }
        }
        return .done
    }
}

extension Setting {
    /// Whether the setting affects an action of `dtvr store`.
    fileprivate func applies(to action: StoreCommand.Action) -> Bool {
        switch name {
        case Setting.format.name: [.status, .list].contains(action)
        case Setting.dead.name: [.list, .export, .prune].contains(action)
        case Setting.output.name: action == .export
        case Setting.olderThan.name: action == .prune
        case Setting.wait.name: action != .status
        default: true
        }
    }

    static let olderThan = Setting(
        "older-than", .duration(0...longestAge),
        help: "prune: delete the tags that have been waiting longer than this")
    static let dead = Setting(
        "dead", .toggle, help: "list, export, prune: apply to the dead letters instead of the waiting tags")
}
