import Synchronization

/// Something that does not work, said once when it begins and once when it is over.
package final class StandingProblem: Sendable {
    private let note: @Sendable (String) -> Void
    private let end: String?
    private let problem = Mutex<String?>(nil)

    /// No problem yet.
    ///
    /// - Parameter end: what is said when it is over; nil for nothing.
    package init(end: String? = nil, note: @escaping @Sendable (String) -> Void) {
        self.end = end
        self.note = note
    }

    /// Says what is wrong, unless that was said last; nil for nothing.
    package func set(_ new: String?) {
        let old = problem.withLock { problem in
            defer { problem = new }
            return problem
        }
        guard old != new, let text = new ?? end else { return }
        note(text)
    }
}
