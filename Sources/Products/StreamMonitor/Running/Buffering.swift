import Synchronization
import TagDelivery
import TagStore

/// Whether tags are kept, and says so once where they are not any more, and once where they are again.
package final class Buffering: Sendable {
    private let note: @Sendable (String) -> Void
    private let problem = Mutex<String?>(nil)

    init(note: @escaping @Sendable (String) -> Void) { self.note = note }

    func observe(_ outcome: TagIngest.Outcome) {
        if outcome.refusedCount > 0 {
            set("the buffer has no room: tags are not kept")
        } else if outcome.volatileCount > 0 {
            set("the disk takes nothing: tags are in memory only")
        } else if outcome.acceptedCount > 0 {
            set(nil)
        }
    }

    func observe(_ error: StoreError) { set("tags are not kept: \(error)") }

    private func set(_ new: String?) {
        let old = problem.withLock { problem in
            defer { problem = new }
            return problem
        }
        guard old != new else { return }
        note(new ?? "tags are kept again")
    }
}
