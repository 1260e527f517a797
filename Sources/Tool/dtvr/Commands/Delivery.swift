import HTTPTransfer
import TagDelivery
import TagStore
import TextForms

/// The delivery of buffered tags to the collector that the user named: the uploader, its progress and summary, and the
/// tags that the collector refuses permanently.
struct Delivery: Sendable {
    private let context: CommandContext
    private let collector: Collector?

    private var console: Console { context.console }

    /// The collector, with its address for output.
    struct Collector: Sendable {
        /// The address without secrets.
        let address: String
        let sink: HTTPTagSink

        /// Returns a line on the result of a delivery.
        func summary(of progress: DeliveryProgress) -> String {
            let batches = DecimalText.count(progress.batchCount, "batch", "batches")
            let tags = DecimalText.count(progress.deliveredCount, "tag")
            var line = "collector  \(address): \(tags) delivered in \(batches)"
            if progress.duplicateCount > 0 {
                let accepted = progress.deliveredCount - progress.duplicateCount
                line += ": \(accepted) accepted, \(progress.duplicateCount) duplicate"
            }
            if progress.deadCount > 0 { line += ", \(progress.deadCount) permanently refused" }
            return line
        }
    }

    /// Reads and validates the collector options.
    init(_ context: CommandContext) throws(UsageError) {
        self.context = context
        guard let url = context.invocation[.collector] else {
            try context.refuse([.tokenFile], "requires --collector")
            collector = nil
            return
        }
        guard HTTPRequest.isAddress(url) else {
            throw context.usageError("--collector takes an http or https address, not '\(url)'")
        }
        let sink = HTTPTagSink(
            url: url, client: try context.makeHTTPClient(), bearerToken: try context.bearerToken())
        collector = Collector(address: HTTPRequest.withoutSecrets(url), sink: sink)
    }

    /// Whether the user named a collector.
    var hasCollector: Bool { collector != nil }

    /// Sends all waiting tags like `drain(_:)`, unless another process owns the buffer and sends them.
    ///
    /// - Throws: `remote` if that process ends meanwhile.
    func drain(shared access: BufferAccess) async throws(StoreError) -> ExitStatus {
        let remote: RemoteBuffer
        switch access {
        case .own(let buffer): return await drain(buffer)
        case .remote(let buffer): remote = buffer
        }
        console.flush()
        if Task.isCancelled { return .interrupted }
        if hasCollector {
            let owner = remote.owner.map { "process \($0)" } ?? "another process"
            console.note("\(owner) holds the buffer and uploads its tags")
        }
        return reportDeadLetters(try await remote.status().deadLetterCount)
    }

    /// Sends all waiting tags, prints the outcome and the number of dead letters, and returns the exit status.
    ///
    /// Without a collector, it only reports the dead letters.
    ///
    /// - Parameters:
    ///   - timeLimit: The waiting time after which the delivery gives up. A user is waiting for the command, so it is
    ///     short.
    ///   - isQuiet: Whether to print errors only.
    ///   - isTemporary: Whether the buffer is deleted afterwards, with the tags that are not delivered.
    func drain(
        _ buffer: TagBuffer, timeLimit: Duration = .seconds(5), isQuiet: Bool = false,
        isTemporary: Bool = false
    ) async -> ExitStatus {
        // The results so far are on disk: show them before an upload that may take long.
        console.flush()
        let sent = await send(buffer, timeLimit: timeLimit, isQuiet: isQuiet, isTemporary: isTemporary)
        let dead = await reportDeadLetters(in: buffer)
        return sent == .done ? dead : sent
    }

    private func send(
        _ buffer: TagBuffer, timeLimit: Duration, isQuiet: Bool, isTemporary: Bool
    ) async -> ExitStatus {
        guard let collector else { return .done }
        if Task.isCancelled { return .interrupted }
        let bar = ProgressBar("Uploading", on: console)
        defer { bar.end() }
        let total = Int(buffer.totals().inStore)
        let uploader = Uploader(buffer: buffer, sink: collector.sink) { progress in
            bar.show(progress.deliveredCount + progress.deadCount, of: total, "tags")
        }
        let uploading = Task { try await uploader.drain(timeLimit: timeLimit) }
        Interruption.shared.onRequest { uploading.cancel() }
        let outcome: DrainOutcome
        do {
            outcome = try await uploading.value
        } catch {
            console.note("\(error)")
            return .store
        }
        if !isQuiet { console.print(collector.summary(of: uploader.progress)) }
        switch outcome.end {
        case .drained: return .done
        case .cancelled: return .interrupted
        case .gaveUp(let reason):
            let end =
                isTemporary
                ? DecimalText.count(outcome.waitingCount, "record is", "records are")
                    + " deleted with the temporary buffer; --store keeps them"
                : DecimalText.count(outcome.waitingCount, "record stays", "records stay")
                    + " in the buffer for 'dtvr upload'"
            console.note("\(reason); \(end)")
            return .delivery
        }
    }

    /// Returns the delivery of tags as they arrive; nil without a collector.
    func live(from buffer: TagBuffer) -> LiveDelivery? {
        collector.map { LiveDelivery(of: buffer, to: $0, context, warnOfDeadLetters: warnOfDeadLetters) }
    }

    /// Sends tags as they arrive until interrupted, prints a summary, and returns the exit status.
    func follow(_ buffer: TagBuffer) async -> ExitStatus {
        guard let collector, let delivery = live(from: buffer) else { return .done }
        _ = await reportDeadLetters(in: buffer)
        Interruption.shared.becomeService()
        console.note("sending to \(collector.address) until stopped")
        let uploading = Task { await delivery.run() }
        Interruption.shared.onRequest { uploading.cancel() }
        let error = await uploading.value
        if let error {
            console.note("\(error)")
            return .store
        }
        console.print(delivery.summary)
        return .done
    }

    /// Prints that the tags stay in the buffer.
    func warnOfMissingCollector() {
        console.note("no collector is configured: the tags stay in the buffer for 'dtvr upload'")
    }

    // MARK: Dead letters

    /// Prints the number of dead letters in a buffer, and returns the matching exit status.
    func reportDeadLetters(in buffer: TagBuffer) async -> ExitStatus {
        do throws(StoreError) {
            return reportDeadLetters(try await buffer.status().deadLetterCount)
        } catch {
            console.note("\(error)")
            return .store
        }
    }

    private func reportDeadLetters(_ count: Int64) -> ExitStatus {
        if count == 0 { return .done }
        warnOfDeadLetters(count)
        return .delivery
    }

    private func warnOfDeadLetters(_ count: Int64) {
        let what = DecimalText.count(count, "tag was", "tags were")
        console.note(
            "\(what) permanently refused: 'dtvr store list --dead' shows the reasons, 'dtvr store retry' puts them "
                + "back")
    }
}
