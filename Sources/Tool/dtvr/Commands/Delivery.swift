import HTTPTransfer
import TagDelivery
import TagStore

/// Sends what is buffered to the collector that the user named.
struct Delivery {
    private let context: CommandContext
    private let uploader: Uploader
    private let store: TagBuffer

    /// The collector's address.
    let collector: String

    /// A delivery from a buffer; nil where no collector is named.
    init?(_ context: CommandContext, from store: TagBuffer, bar: ProgressBar) throws(UsageError) {
        guard let collector = context.invocation[.collector] else { return nil }
        guard collector.lowercased().hasPrefix("http://") || collector.lowercased().hasPrefix("https://")
        else {
            throw context.usageError("--collector takes an http or https address, not '\(collector)'")
        }
        self.context = context
        self.store = store
        self.collector = collector
        let sink = HTTPTagSink(
            url: collector, client: try context.makeHTTPClient(), bearerToken: try context.bearerToken())
        let total = Int(store.totals().inStore)
        uploader = Uploader(
            buffer: store, sink: sink, builder: .recordedTags(of: store.id, version: DTVR.version)
        ) { progress in
            bar.show(progress.deliveredCount + progress.deadCount, of: total, "tags")
        }
    }

    /// Sends everything that waits; says what happened, and returns the status that follows from it.
    func drain() async -> ExitStatus {
        let outcome: Uploader.DrainOutcome
        let uploader = uploader
        // Someone waits in front of the tool: what some seconds do not mend is theirs to know.
        let uploading = Task { try await uploader.drain(patience: .seconds(5)) }
        Interruption.shared.onRequest { uploading.cancel() }
        do {
            outcome = try await uploading.value
        } catch {
            context.console.note("\(error)")
            return .store
        }
        report()
        switch outcome {
        case .drained: return .done
        case .cancelled: return .interrupted
        case .gaveUp(let reason):
            context.console.note(
                "\(reason); \(store.totals().inStore) tags stay in the buffer for 'dtvr upload'")
            return .delivery
        }
    }

    /// Sends until the user ends it.
    func follow() async -> ExitStatus {
        Interruption.shared.becomeService()
        let uploader = uploader
        let uploading = Task { try await uploader.run() }
        Interruption.shared.onRequest { uploading.cancel() }
        context.console.note("sending to \(collector) until stopped")
        do {
            try await uploading.value
        } catch {
            context.console.note("\(error)")
            return .store
        }
        report()
        return .done
    }

    private func report() {
        let progress = uploader.progress
        let batches = progress.batchCount == 1 ? "1 batch" : "\(progress.batchCount) batches"
        var line = "collector  \(collector): \(progress.deliveredCount) tags delivered in \(batches)"
        if progress.duplicateCount > 0 {
            let accepted = progress.deliveredCount - progress.duplicateCount
            line += ": \(accepted) accepted, \(progress.duplicateCount) duplicate"
        }
        if progress.deadCount > 0 { line += ", \(progress.deadCount) refused for good" }
        context.console.print(line)
    }
}
