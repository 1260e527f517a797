import TagDelivery
import TagStore

/// Sends the buffered tags to the collector that the user named.
struct Delivery {
    private let context: CommandContext
    private let uploader: Uploader
    private let store: TagBuffer

    private let collector: CollectorAccess

    /// Creates a delivery from a buffer to a collector.
    init(_ context: CommandContext, from store: TagBuffer, to collector: CollectorAccess, bar: ProgressBar) {
        self.context = context
        self.store = store
        self.collector = collector
        let total = Int(store.totals().inStore)
        uploader = Uploader(
            buffer: store, sink: collector.sink, builder: .recordedTags(of: store.id, version: DTVR.version)
        ) { progress in
            bar.show(progress.deliveredCount + progress.deadCount, of: total, "tags")
        }
    }

    /// Sends all waiting tags, prints the outcome, and returns the exit status.
    ///
    /// - Parameters:
    ///   - timeLimit: The waiting time after which the delivery gives up.
    ///   - isQuiet: Whether to print errors only.
    func drain(timeLimit: Duration = .seconds(5), isQuiet: Bool = false) async -> ExitStatus {
        let outcome: Uploader.DrainOutcome
        let uploader = uploader
        // A user is waiting for this command, so it gives up early and reports a problem that outlasts the time limit.
        let uploading = Task { try await uploader.drain(timeLimit: timeLimit) }
        Interruption.shared.onRequest { uploading.cancel() }
        do {
            outcome = try await uploading.value
        } catch {
            context.console.note("\(error)")
            return .store
        }
        if !isQuiet {
            context.console.print(DeliverySummary(uploader.progress, collector: collector.url).text)
        }
        switch outcome {
        case .drained: return .done
        case .cancelled: return .interrupted
        case .gaveUp(let reason):
            context.console.note(
                "\(reason); \(store.totals().inStore) tags stay in the buffer for 'dtvr upload'")
            return .delivery
        }
    }
}
