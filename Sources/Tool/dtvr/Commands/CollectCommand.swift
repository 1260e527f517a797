import CollectorService
import Dispatch
import HTTPTransfer
import HostSystem
import TagRecord
import TextForms

/// `dtvr collect`: receives tags until it is stopped.
struct CollectCommand: Command {
    static let declaration = CommandDeclaration(
        "collect",
        summary: "receive tags into files or a database",
        description: """
            Stores the records that it receives, each record once, and answers GET /status with its counts. For \
            development and tests, they are NDJSON files in the folder --dir. For a team, --ledger names a PostgreSQL \
            database that any number of collectors share. Prints its address when it is ready.
            """,
        details: [
            """
            A repeated tag is reported as a duplicate, even after a restart. With --fault, the command simulates \
            failures of collectors and gateways, to test how a sender handles them. It runs until SIGINT or \
            SIGTERM, and then exits with status 0.
            """,
            """
            With --ledger, each batch is one transaction, and it is acknowledged after the commit. While the database \
            is away, batches are answered with status 503, and the senders keep them. GET /metrics serves metrics for \
            Prometheus, /healthz whether the process runs, and /readyz whether the database accepts batches. SIGHUP \
            reads --token-file again. Addresses other than loopback require TLS or --allow-plain. 'dtvr ledger init' \
            creates the database's schema.
            """,
        ],
        settings: [
            .ledger.adapted {
                $0.help =
                    "store into this PostgreSQL database, such as postgres://collector@db.example.com/dtvr, instead of "
                    + "--dir"
            },
            .tokenFile.adapted {
                $0.help =
                    "a file with the bearer tokens of the senders, one on each line, with an optional name after it; "
                    + "DTVR_TOKEN can hold a single token instead"
            },
            .listen, .directory, .certificate, .key, .allowPlain,
            .fault.adapted {
                $0.help = "simulate these faults, separated by spaces; 'list' prints the faults"
                $0.suggestions = ["list"] + ScriptedFault.forms
            },
        ],
        exitStatuses: [.store],
        variables: [LedgerCommand.passwordVariables],
        files: [ManualItem("dtvr-collected", "The folder of the received tags, unless --dir names another.")],
        examples: [
            CommandExample(
                "dtvr collect --listen 127.0.0.1:8271 --dir collected",
                "receive tags on the loopback interface"),
            CommandExample(
                "dtvr collect --ledger postgres://db/dtvr --token-file tokens",
                "store the records of a team into a database"),
            CommandExample(
                "dtvr collect --fault status=503@first=3",
                "answer the first three requests with status 503"),
        ])

    /// The time for requests in progress, after which the ledger is interrupted; a service has five seconds to end.
    private static let stopLimit = Duration.seconds(3)

    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() async throws(UsageError) -> ExitStatus {
        try context.refuseOperands()
        if context.invocation[.fault] == "list" {
            context.console.print(ScriptedFault.grammar)
            return .done
        }
        context.console.limitWaitForNotes()
        let settings = try settings()
        // Each connection has a thread, and each batch has a few large blocks.
        ProcessFacts.keepLittleUnusedMemory()
        let collector: Collector
        do throws(CollectorError) {
            collector = try Collector(settings: settings) { [console = context.console] problem in
                console.note("ledger: \(problem)")
            }
        } catch {
            context.console.note(Self.folder(settings).map { "\($0): \(error)" } ?? "\(error)")
            return .store
        }
        noteRepairs(of: collector, settings)
        // Scripts that start the collector wait for this line to learn the port.
        context.console.print("listening on \(collector.url)")
        context.console.flush()
        if context.console.outputFailure != nil {
            collector.stop()
            return .output
        }
        Interruption.shared.becomeService()
        let reloads = reloadsTokens(of: collector, settings)
        do throws(SystemError) {
            try collector.checkLedger()
        } catch {
            context.console.note("\(error)")
        }
        defer { withExtendedLifetime(reloads) {} }
        await Interruption.shared.wait()
        collector.stop(within: Self.stopLimit)
        let status = collector.status
        context.console.note(
            "accepted \(status.accepted), duplicate \(status.duplicate), rejected \(status.rejected), "
                + "in \(DecimalText.count(status.batches, "batch", "batches"))")
        return .done
    }

    private static func folder(_ settings: CollectorSettings) -> String? {
        if case .folder(let folder) = settings.storage { folder } else { nil }
    }

    private func noteRepairs(of collector: Collector, _ settings: CollectorSettings) {
        guard let folder = Self.folder(settings) else { return }
        if collector.repairedByteCount > 0 {
            context.console.note(
                "\(folder): removed \(DecimalText.count(collector.repairedByteCount, "byte")) of an incomplete line"
            )
        }
        if collector.damagedLineCount > 0 {
            let lines = DecimalText.count(collector.damagedLineCount, "line")
            context.console.note("\(folder): \(lines) cannot be read")
        }
    }

    /// Reads the token file again on SIGHUP; a file with errors changes nothing.
    ///
    /// A collector without a ledger ends on SIGHUP.
    private func reloadsTokens(
        of collector: Collector, _ settings: CollectorSettings
    ) -> (any DispatchSourceSignal)? {
        guard case .ledger = settings.storage, let file = context.invocation[.tokenFile] else { return nil }
        return ReloadSignal.receive { [context] in
            do throws(UsageError) {
                collector.replaceTokens(try context.collectorTokens())
                context.console.note("\(file): reloaded")
            } catch {
                context.console.note("\(error.message); the tokens are unchanged")
            }
        }
    }

    private func settings() throws(UsageError) -> CollectorSettings {
        let call = context.invocation
        var settings: CollectorSettings
        let listen = try context.listenAddress(call[.listen] ?? "", example: "127.0.0.1:8271")
        if let ledger = try context.ledgerAddress() {
            try context.refuse([.directory], "has no effect with --ledger")
            settings = CollectorSettings(ledger: ledger)
            try requireSecurity(listen)
        } else {
            try context.refuse([.allowPlain], "requires --ledger")
            settings = CollectorSettings(folder: call[.directory] ?? "dtvr-collected")
        }
        settings.address = listen.host
        settings.port = listen.port
        settings.certificateFile = call[.certificate]
        settings.privateKeyFile = call[.key]
        settings.tokens = try context.collectorTokens()
        for text in (call[.fault] ?? "").split(separator: " ") {
            guard let fault = ScriptedFault(String(text)) else {
                throw context.usageError(
                    "--fault: there is no fault '\(text)'; '--fault list' prints the faults"
                        + Suggestion.text(for: String(text), among: ScriptedFault.forms))
            }
            settings.faults.append(fault)
        }
        if case .ledger = settings.storage, settings.faults.contains(where: { $0.fault == .forgetful }) {
            throw context.usageError("--fault forgetful requires files, not --ledger")
        }
        return settings
    }

    /// Throws a usage error if tokens would cross a network without TLS.
    private func requireSecurity(_ listen: ListenAddress) throws(UsageError) {
        let call = context.invocation
        let isLoopback = SocketAddress(listen.host).map { AddressScope(of: $0) == .loopback } ?? false
        if isLoopback || call[.certificate] != nil || call.isOn(.allowPlain) { return }
        throw context.usageError(
            "--listen \(listen.host) is not a loopback address; use --certificate and --key, or --allow-plain behind a "
                + "proxy that terminates TLS")
    }
}

extension CommandContext {
    /// Returns the tokens from `--token-file`, or else from `DTVR_TOKEN`; nil without either.
    func collectorTokens() throws(UsageError) -> CollectorTokens? {
        let file = invocation[.tokenFile]
        let text: String
        if let file {
            text = try self.text(.tokenFile, in: file)
        } else if let token = try bearerToken() {
            text = token
        } else {
            return nil
        }
        do throws(CollectorTokens.Defect) {
            return try CollectorTokens(parsing: text)
        } catch {
            throw usageError("--token-file: '\(file ?? "")' \(error)")
        }
    }
}

extension Setting {
    static let directory = Setting(
        "dir", .path("DIR"), default: "dtvr-collected", help: "the folder to store the tags in")
    static let allowPlain = Setting(
        "allow-plain", .toggle,
        help: "with --ledger, accept plain HTTP on addresses other than loopback, such as behind a proxy")
    static let certificate = Setting(
        "certificate", .path("FILE"), help: "serve HTTPS with the certificate in FILE (PEM)")
    static let key = Setting("key", .path("FILE"), help: "the private key of the certificate (PEM)")
}
