import TagDelivery
import TagStore

/// Reports once when tags can no longer be buffered, and once when they can again.
package final class Buffering: Sendable {
    private let problem: StandingProblem

    init(note: @escaping @Sendable (String) -> Void) {
        problem = StandingProblem(end: "tags are stored again", note: note)
    }

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
