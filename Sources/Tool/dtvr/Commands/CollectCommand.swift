import CollectorService
import TagRecord
import TextForms

/// `dtvr collect`: receives tags until it is stopped.
struct CollectCommand: Command {
    static let declaration = CommandDeclaration(
        "collect",
        summary: "receive tags, for development and tests",
        description: """
            Stores the tags that it receives as NDJSON in the folder --dir, each tag once, and answers GET /status \
            with its counts. Prints its address when it is ready.
            """,
        details: [
            """
            A repeated tag is reported as a duplicate, even after a restart. With --fault, the command simulates \
            failures of collectors and gateways, to test how a sender handles them. It runs until SIGINT or \
            SIGTERM, and then exits with status 0.
            """
        ],
        settings: [
            .tokenFile, .listen, .directory, .certificate, .key,
            .fault.adapted {
                $0.help = "simulate these faults, separated by spaces; 'list' prints the faults"
                $0.suggestions = ["list"] + ScriptedFault.forms
            },
        ],
        exitStatuses: [.store],
        files: [ManualItem("dtvr-collected", "The folder of the received tags, unless --dir names another.")],
        examples: [
            CommandExample(
                "dtvr collect --listen 127.0.0.1:8271 --dir collected",
                "receive tags on the loopback interface"),
            CommandExample(
                "dtvr collect --fault status=503@first=3",
                "answer the first three requests with status 503"),
        ])

    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() async throws(UsageError) -> ExitStatus {
        try context.refuseOperands()
        if context.invocation[.fault] == "list" {
            context.console.print(ScriptedFault.grammar)
            return .done
        }
        let settings = try settings()
        let collector: Collector
        do throws(CollectorError) {
            collector = try Collector(settings: settings)
        } catch {
            context.console.note("\(settings.folder): \(error)")
            return .store
        }
        if collector.repairedByteCount > 0 {
            context.console.note(
                "\(settings.folder): removed \(collector.repairedByteCount) bytes of an incomplete line")
        }
        if collector.damagedLineCount > 0 {
            context.console.note("\(settings.folder): \(collector.damagedLineCount) lines cannot be read")
        }
        // Scripts that start the collector wait for this line to learn the port.
        context.console.print("listening on \(collector.url)")
        context.console.flush()
        if context.console.outputFailure != nil {
            collector.stop()
            return .output
        }
        Interruption.shared.becomeService()
        await Interruption.shared.wait()
        collector.stop()
        let status = collector.status
        context.console.note(
            "accepted \(status.accepted), duplicate \(status.duplicate), rejected \(status.rejected), "
                + (status.batches == 1 ? "in 1 batch" : "in \(status.batches) batches"))
        return .done
    }

    private func settings() throws(UsageError) -> CollectorSettings {
        let call = context.invocation
        var settings = CollectorSettings(folder: call[.directory] ?? "dtvr-collected")
        let listen = try context.listenAddress(call[.listen] ?? "", example: "127.0.0.1:8271")
        settings.address = listen.host
        settings.port = listen.port
        settings.certificateFile = call[.certificate]
        settings.privateKeyFile = call[.key]
        settings.bearerToken = try context.bearerToken()
        for text in (call[.fault] ?? "").split(separator: " ") {
            guard let fault = ScriptedFault(String(text)) else {
                throw context.usageError(
                    "--fault: there is no fault '\(text)'; '--fault list' prints the faults"
                        + Suggestion.text(for: String(text), among: ScriptedFault.forms))
            }
            settings.faults.append(fault)
        }
        return settings
    }
}

extension Setting {
    static let directory = Setting(
        "dir", .path("DIR"), default: "dtvr-collected", help: "the folder to store the tags in")
    static let certificate = Setting(
        "certificate", .path("FILE"), help: "serve HTTPS with the certificate in FILE (PEM)")
    static let key = Setting("key", .path("FILE"), help: "the private key of the certificate (PEM)")
}
