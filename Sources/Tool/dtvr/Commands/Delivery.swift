import TagDelivery
import TagStore

/// Sends what is buffered to the collector that the user named.
struct Delivery {
    private let context: CommandContext
    private let uploader: Uploader
    private let store: TagBuffer

    private let collector: CollectorAccess

    /// A delivery from a buffer to a collector.
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

    /// Sends everything that waits; says what happened, and returns the status that follows from it.
    ///
    /// - Parameters:
    ///   - timeLimit: after how much waiting it gives up.
    ///   - isQuiet: whether only what went wrong is said.
    func drain(timeLimit: Duration = .seconds(5), isQuiet: Bool = false) async -> ExitStatus {
        let outcome: Uploader.DrainOutcome
        let uploader = uploader
        // Someone waits in front of the tool: what some seconds do not mend is theirs to know.
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
