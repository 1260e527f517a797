import Synchronization
import TagDelivery
import TagStore

/// A problem that is reported once when it starts and once when it is over.
package final class ProblemLatch: Sendable {
    private let note: @Sendable (String) -> Void
    private let end: String?
    private let problem = Mutex<String?>(nil)

    /// Creates a latch without a problem.
    ///
    /// - Parameter end: The message when the problem is over; nil for none.
    package init(end: String? = nil, note: @escaping @Sendable (String) -> Void) {
        self.end = end
        self.note = note
    }

    /// The current problem; nil if there is none.
    package var current: String? { problem.withLock { $0 } }

    /// Sets or clears the current problem and reports it, unless it has not changed.
    package func set(_ new: String?) {
        let old = problem.withLock { problem in
            defer { problem = new }
            return problem
        }
        guard old != new, let text = new ?? end else { return }
        note(text)
    }
}

/// Reports once when tags can no longer be buffered, and once when they can again.
package final class BufferHealth: Sendable {
    private let problem: ProblemLatch

    init(note: @escaping @Sendable (String) -> Void) {
        problem = ProblemLatch(end: "tags are stored again", note: note)
    }

    /// The reason why tags are not stored on the disk; nil if they are.
    var current: String? { problem.current }

    func observe(_ outcome: TagIngest.Outcome) {
        if outcome.refusedCount > 0 {
            problem.set("the buffer is full: new tags are lost")
        } else if outcome.volatileCount > 0 {
            problem.set("the disk is full or read-only: tags are in memory only")
        } else if outcome.acceptedCount > 0 {
            problem.set(nil)
        }
    }

    func observe(_ error: StoreError) { problem.set("tags are not stored: \(error)") }
}
