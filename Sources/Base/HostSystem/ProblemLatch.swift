import Synchronization

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
