import TagDelivery
import TagStore

/// Whether tags are kept, and says so once where they are not any more, and once where they are again.
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
