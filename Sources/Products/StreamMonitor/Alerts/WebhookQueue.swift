import HostSystem
import Synchronization

/// The alerts that are queued for a webhook, oldest first.
///
/// `AlertStore` stores the queue and the active alerts in one file, so the two stay consistent. A small separate file
/// records acceptances since then: it holds the key of the alert that was accepted last. All alerts before that one
/// were sent earlier.
package final class WebhookQueue: Sendable {
    /// The maximum number of queued alerts and the maximum total size of their bodies; the oldest are dropped.
    private static let maximumCount = 1_000
    private static let maximumByteCount = 8 << 20

    private struct State {
        var waiting: [AlertMessage] = []
        /// The messages that repeat the open alerts, which precede the others.
        var repeats: [AlertMessage] = []
        /// The number of alerts that may be sent, because they are saved or cannot be.
        var releasedCount = 0
    }

    /// The format of the messages.
    let format: AlertFormat
    /// The small file, with the key under `accepted`.
    private let mark: AtomicJSONFile<[String: String]>
    private let overflow: ProblemLatch
    private let note: @Sendable (String) -> Void
    private let state = Mutex(State())
    private let wake = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// Creates an empty queue.
    ///
    /// - Parameters:
    ///   - markPath: The path of the file that records acceptances.
    ///   - format: The format of the messages.
    ///   - note: Called once when alerts are dropped because the queue is full.
    package init(
        markPath: String, format: AlertFormat = .dtvr, note: @escaping @Sendable (String) -> Void
    ) {
        self.format = format
        self.note = note
        mark = AtomicJSONFile(path: markPath)
        overflow = ProblemLatch(note: note)
    }

    // MARK: Adding alerts

    /// The queued alerts.
    var waiting: [AlertMessage] { state.withLock { $0.waiting } }

    /// Restores alerts from a file, except those that were accepted after it was written, and those in another format.
    func restore(_ alerts: [AlertMessage]) {
        let accepted = accepted
        let start = alerts.lastIndex { $0.key == accepted }.map { $0 + 1 } ?? 0
        let usable = alerts[start...].filter { $0.format ?? .dtvr == format }
        let dropped = alerts.count - start - usable.count
        if dropped > 0 { note("alerts that wait in another --alert-format are dropped: \(dropped)") }
        append(usable)
        release()
    }

    /// Queues alerts, which are not sent before `release`.
    func append(_ alerts: [AlertMessage]) {
        let isOverflowing = state.withLock { state in
            state.waiting += alerts
            var byteCount = state.waiting.reduce(0) { $0 + $1.body.utf8.count }
            var dropped = 0
            while state.waiting.count - dropped > Self.maximumCount || byteCount > Self.maximumByteCount {
                byteCount -= state.waiting[dropped].body.utf8.count
                dropped += 1
            }
            state.waiting.removeFirst(dropped)
            state.releasedCount = max(0, state.releasedCount - dropped)
            return dropped > 0
        }
        if isOverflowing {
            overflow.set("the queue of the alert webhook is full: the oldest alerts are dropped")
        }
    }

    /// Replaces the messages that repeat the open alerts.
    func replaceRepeats(with messages: [AlertMessage]) {
        state.withLock { $0.repeats = messages }
        wake.continuation.yield()
    }

    /// Allows all queued alerts to be sent, because they are saved or the disk is full or read-only.
    func release() {
        state.withLock { $0.releasedCount = $0.waiting.count }
        wake.continuation.yield()
    }

    // MARK: Sending alerts

    /// Waits for an alert that may be sent and returns the oldest without removing it.
    ///
    /// Returns nil when the task is cancelled.
    func next() async -> AlertMessage? {
        var wakes = wake.stream.makeAsyncIterator()
        while !Task.isCancelled {
            let alert = state.withLock { state in
                state.repeats.first ?? (state.releasedCount > 0 ? state.waiting.first : nil)
            }
            if let alert { return alert }
            guard await wakes.next() != nil else { return nil }
        }
        return nil
    }

    /// Removes an alert that was accepted or dropped.
    func remove(_ alert: AlertMessage) {
        if alert.isRepeat {
            // They may have been replaced meanwhile.
            return state.withLock { state in
                if state.repeats.first?.key == alert.key { state.repeats.removeFirst() }
            }
        }
        // Record this on disk first: if the process is killed in between, the alert is not sent again.
        recordAccepted(alert.key)
        let isEmpty = state.withLock { state in
            // Unless it is still the first, it was dropped to make room while it was being sent.
            guard state.waiting.first?.key == alert.key else { return false }
            state.waiting.removeFirst()
            state.releasedCount = max(0, state.releasedCount - 1)
            return state.waiting.isEmpty
        }
        if isEmpty { overflow.set(nil) }
    }

    private func recordAccepted(_ key: String) {
        do throws(AtomicJSONFile<[String: String]>.Problem) {
            try mark.write(["accepted": key])
        } catch {
            // Usually the disk is full. If the process is killed now, the alert is sent again with the same key.
        }
    }

    /// The key of the alert that was accepted last; nil if unknown.
    private var accepted: String? {
        do throws(AtomicJSONFile<[String: String]>.Problem) {
            return try mark.read()?["accepted"]
        } catch {
            return nil
        }
    }
}
