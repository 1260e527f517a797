import CollectorService
import TagRecord
import TextForms

/// `dtvr collect`: receives tags until it is stopped.
struct CollectCommand {
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
        let listen = call[.listen] ?? ""
        guard let place = ListeningPlace(listen) else {
            throw context.usageError("--listen takes an address such as 127.0.0.1:8271, not '\(listen)'")
        }
        settings.address = place.address
        settings.port = place.port
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
