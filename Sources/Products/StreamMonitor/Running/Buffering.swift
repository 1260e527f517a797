import TagDelivery
import TagStore

/// Reports once when tags can no longer be buffered, and once when they can again.
package final class Buffering: Sendable {
    private let problem: StandingProblem

    init(note: @escaping @Sendable (String) -> Void) {
        problem = StandingProblem(end: "tags are kept again", note: note)
    }

    func observe(_ outcome: TagIngest.Outcome) {
        if outcome.refusedCount > 0 {
            problem.set("the buffer has no room: tags are not kept")
        } else if outcome.volatileCount > 0 {
            problem.set("the disk takes nothing: tags are in memory only")
        } else if outcome.acceptedCount > 0 {
            problem.set(nil)
        }
    }

    func observe(_ error: StoreError) { problem.set("tags are not kept: \(error)") }
}
