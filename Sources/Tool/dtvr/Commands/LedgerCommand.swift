import CollectorService
import HostSystem
import Reporting
import TextForms

/// `dtvr ledger`: creates and maintains the database of collectors.
struct LedgerCommand: Command {
    static let declaration = CommandDeclaration(
        "ledger",
        summary: "create and maintain the database of collectors",
        operands: "init | migrate | status | report | prune | import DIR",
        choices: Action.allCases.map(\.rawValue),
        description: """
            init creates the roles dtvr_owner, dtvr_insert and dtvr_read, the schema dtvr and its partitions, as an \
            administrator of the database that --ledger names. migrate brings the schema to the version of this dtvr \
            and creates the partitions of the next 30 days; run it daily. status shows the version, the partitions and \
            their sizes. report writes the share of the time with tags, the gaps, the advertisement breaks and the \
            outages of each channel and day. prune drops the partitions of days older than --retention, by \
            the date of the database. import adds the files of a \
            collector that ran without --ledger, each record once.
            """,
        details: [
            """
            init needs a role that may create roles and schemas; migrate and prune need a member of dtvr_owner, \
            import a member of dtvr_insert, report a member of dtvr_read, and status a member of any role. A record \
            is in the partition of its day: the day of a tag's first time, else of its program date time; other \
            records count by the time at which the buffer accepted them. prune refuses to run if the clocks of this \
            machine and the database differ by more than a day, or if no record would remain. Migrations only go \
            forward. An older dtvr refuses a newer schema.
            """,
            """
            A report is a page, CSV or JSON. Without --from and --to, it is about the last seven days before today. A \
            day counts from the first record of a channel on, and until five minutes before the report. Days are \
            those of UTC, or of --time-zone; times are in UTC, and in that time zone. A channel without a record in \
            the days and in the 31 days before is not listed. Breaks, quiet hours and outages come from records of \
            dtvr-monitor(1) with --collector; without them, the report says that breaks are unknown.
            """,
        ],
        settings: [
            .ledger, .retention, .dropAll, .from, .to, .channelOfReport, .timeZone,
            .format(CoverageFormat.allCases.map(\.rawValue)).adapted {
                $0.defaultText = CoverageFormat.html.rawValue
                $0.help = "report: the format"
            },
            .output.adapted { $0.help = "report: write to FILE instead of standard output" },
        ],
        exitStatuses: [.noInput, .store],
        variables: [passwordVariables],
        examples: [
            CommandExample(
                "dtvr ledger init --ledger postgres://db/dtvr",
                "create the ledger in the database dtvr"),
            CommandExample(
                "dtvr ledger migrate --ledger postgres://db/dtvr",
                "upgrade the schema, and create the partitions of the next days"),
            CommandExample(
                "dtvr ledger report --ledger postgres://db/dtvr",
                "a page with the tags, gaps and breaks of the last seven days; --output FILE writes it to a file"
            ),
            CommandExample(
                "dtvr ledger prune --retention 400d --ledger postgres://db/dtvr",
                "drop what is older than 400 days"),
            CommandExample(
                "dtvr ledger import collected --ledger postgres://db/dtvr",
                "add the tags that a collector without a ledger has stored"),
        ])

    /// The variables of libpq that hold a password or name a file with one.
    static let passwordVariables = ManualItem(
        "PGPASSFILE, PGSERVICEFILE, PGPASSWORD",
        """
        A password file (by default ~/.pgpass), a service file, or the password of the database itself. The address \
        of a ledger must not contain a password. The other variables of libpq apply as well.
        """)

    /// The actions of the command.
    enum Action: String, CaseIterable, Sendable {
        case create = "init"
        case migrate
        case status
        case report
        case prune
        case importFiles = "import"
    }

    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() async throws(UsageError) -> ExitStatus {
        try context.requireOperands("action")
        guard let action = Action(rawValue: context.operands[0]) else {
            let known = Action.allCases.map(\.rawValue)
            throw context.usageError(
                "the action must be one of \(known.joined(separator: ", ")), not '\(context.operands[0])'"
                    + Suggestion.text(for: context.operands[0], among: known))
        }
        let operandCount = action == .importFiles ? 2 : 1
        guard context.operands.count == operandCount else {
            throw context.usageError(
                action == .importFiles ? "import takes one folder" : "\(action.rawValue) takes no operand")
        }
        if action != .prune {
            try context.refuse([.retention, .dropAll], "is for prune, not for \(action.rawValue)")
        }
        if action != .report {
            try context.refuse(LedgerReportAction.settings, "is for report, not for \(action.rawValue)")
        }
        guard let address = try context.ledgerAddress() else { throw context.usageError("no --ledger given") }
        if action == .prune, context.invocation.seconds(.retention) == nil {
            throw context.usageError("prune needs --retention")
        }
        if action == .importFiles { return importFiles(context.operands[1], into: address) }
        if action == .report { return try LedgerReportAction(context).perform(address) }
        do throws(LedgerError) {
            try perform(
                action, LedgerSchema(address, unixMilliseconds: SystemClock().unixMilliseconds))
        } catch {
            let cause = action == .status ? "; cause \(error.cause.rawValue) in docs/collecting.md" : ""
            context.console.note("\(error)\(cause)")
            return .store
        }
        return .done
    }

    private func perform(_ action: Action, _ schema: LedgerSchema) throws(LedgerError) {
        switch action {
        case .create: report(try schema.create())
        case .migrate: report(try schema.migrate())
        case .status: report(try schema.status())
        case .prune:
            let seconds = context.invocation.seconds(.retention) ?? 0
            report(
                try schema.prune(
                    keepingDays: Int((seconds / 86_400).rounded(.up)), all: context.invocation.isOn(.dropAll))
            )
        case .report, .importFiles: break
        }
    }

    private func report(_ changes: LedgerSchema.Changes) {
        context.console.print(
            "schema \(LedgerSchema.supportedVersion): "
                + "\(DecimalText.count(changes.migrationCount, "migration")) applied, "
                + "\(DecimalText.count(changes.partitionCount, "partition")) created")
    }

    private func report(_ pruned: LedgerSchema.Pruned) {
        context.console.print(
            "kept from \(pruned.firstKeptDay): \(DecimalText.count(pruned.partitionCount, "partition")) dropped, "
                + "\(DecimalText.count(pruned.defaultRowCount, "row")) deleted from default partitions")
    }

    private func report(_ status: LedgerSchema.Status) {
        context.console.print("schema      \(status.version)")
        if let days = status.days {
            context.console.print(
                "partitions  \(days.lowerBound) to \(days.upperBound), "
                    + "\(DecimalText.count(status.daysAhead, "day")) ahead"
            )
        } else {
            context.console.print("partitions  none; run 'dtvr ledger migrate'")
        }
        context.console.print("TABLE          PARTITIONS  ROWS (ESTIMATED)        SIZE")
        for table in status.tables {
            context.console.print(
                TextColumn.left(table.name, 13) + TextColumn.right(String(table.partitionCount), 12)
                    + TextColumn.right(String(table.estimatedRowCount), 18)
                    + TextColumn.right(ByteCountText.text(table.byteCount), 12))
        }
    }

    private func importFiles(_ folder: String, into address: LedgerAddress) -> ExitStatus {
        do throws(CollectorError) {
            let counts = try ArchiveImport(folder: folder, into: address).run {
                Interruption.shared.isRequested
            }
            guard let counts else {
                context.console.note("\(folder): no files of a collector")
                return .noInput
            }
            context.console.print(
                "accepted \(counts.accepted), duplicate \(counts.duplicate), rejected \(counts.rejected)")
            if counts.differing > 0 {
                context.console.note(
                    "\(folder): \(DecimalText.count(counts.differing, "duplicate")) with another owner, kind or "
                        + "channel than the record of the ledger")
            }
            if counts.damaged > 0 {
                context.console.note(
                    "\(folder): \(DecimalText.count(counts.damaged, "line")) without a record")
            }
            return Interruption.shared.isRequested ? .interrupted : .done
        } catch {
            context.console.note("\(folder): \(error)")
            if case .system = error { return .noInput }
            return .store
        }
    }
}

extension CommandContext {
    /// Returns the address of `--ledger`; nil if there is none.
    func ledgerAddress() throws(UsageError) -> LedgerAddress? {
        guard let text = invocation[.ledger] else { return nil }
        do throws(LedgerAddress.Defect) {
            return try LedgerAddress(text)
        } catch {
            // The value may contain a password, so the message does not.
            throw usageError("--ledger \(error)")
        }
    }
}

extension Setting {
    static let ledger = Setting(
        "ledger", .text("URI"),
        help: "the address of the PostgreSQL database, such as postgres://collector@db.example.com/dtvr")
    static let retention = Setting(
        "retention", .duration(86_400...longestAge),
        help: "prune: drop the records whose day is longer ago than this")
    static let dropAll = Setting("all", .toggle, help: "prune: drop the records even if none remains")
}
