import Synchronization

/// The alerts that wait for a webhook, the oldest first.
///
/// `ActiveAlerts` keeps them in its own file, written as one with the alerts that are active, so that neither has what
/// the other lacks. What the webhook has accepted since is in a small file of its own: the key of the last one, which
/// all before it were sent before.
package final class WebhookQueue: Sendable {
    /// How many alerts wait at most, and how many bytes their bodies have; the oldest make room.
    private static let maximumCount = 1_000
    private static let maximumByteCount = 8 << 20

    private struct State {
        var waiting: [WaitingAlert] = []
        /// How many of them the file has, or cannot have: no others are sent.
        var releasedCount = 0
    }

    /// What the small file has.
    private struct Mark: Codable {
        let accepted: String
    }

    private let mark: KeptFile<Mark>
    private let overflow: StandingProblem
    private let state = Mutex(State())
    private let wake = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// A queue with nothing in it.
    ///
    /// - Parameters:
    ///   - markPath: where it notes what was accepted.
    ///   - note: told once where alerts are dropped because too many wait.
    package init(markPath: String, note: @escaping @Sendable (String) -> Void) {
        mark = KeptFile(path: markPath)
        overflow = StandingProblem(note: note)
    }

    // MARK: The side of the alerts

    /// What waits now.
    var waiting: [WaitingAlert] { state.withLock { $0.waiting } }

    /// Takes what a file has from before a restart, but for what was accepted since it was written.
    func restore(_ alerts: [WaitingAlert]) {
        let accepted = accepted
        let start = alerts.lastIndex { $0.key == accepted }.map { $0 + 1 } ?? 0
        append(Array(alerts[start...]))
        release()
    }

    /// Adds alerts, which are not sent before they are released.
    func append(_ alerts: [WaitingAlert]) {
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
        if isOverflowing { overflow.set("too many alerts wait for the webhook: the oldest are dropped") }
    }

    /// Lets all that waits be sent: the file has it, or the disk takes nothing.
    func release() {
        state.withLock { $0.releasedCount = $0.waiting.count }
        wake.continuation.yield()
    }

    // MARK: The side of the webhook

    /// The oldest alert that may be sent, which stays in the queue; waits for one, and gives nil when the task is
    /// cancelled.
    func next() async -> WaitingAlert? {
        var wakes = wake.stream.makeAsyncIterator()
        while !Task.isCancelled {
            if let alert = state.withLock({ $0.releasedCount > 0 ? $0.waiting.first : nil }) { return alert }
            guard await wakes.next() != nil else { return nil }
        }
        return nil
    }

    /// Removes an alert that was accepted, or given up.
    func remove(_ alert: WaitingAlert) {
        // First on the disk: after a kill in between it is known that it was sent.
        note(alert.key)
        let isEmpty = state.withLock { state in
            // It made room for others while it was sent, unless it is still the first.
            guard state.waiting.first?.key == alert.key else { return false }
            state.waiting.removeFirst()
            state.releasedCount = max(0, state.releasedCount - 1)
            return state.waiting.isEmpty
        }
        if isEmpty { overflow.set(nil) }
    }

    private func note(_ key: String) {
        do throws(KeptFile<Mark>.Problem) {
            try mark.write(Mark(accepted: key))
        } catch {
            // A full disk, as a rule. After a kill it would be sent again, with the same key.
        }
    }

    /// The key of the alert that was accepted last; nil where that is not known.
    private var accepted: String? {
        do throws(KeptFile<Mark>.Problem) {
            return try mark.read()?.accepted
        } catch {
            return nil
        }
    }
}
