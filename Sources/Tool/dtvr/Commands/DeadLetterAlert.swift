import Synchronization
import TagDelivery
import TagStore

/// Tells of dead letters for as long as there are any.
struct DeadLetterAlert {
    private let console: Console

    init(_ console: Console) { self.console = console }

    /// Says how many dead letters a buffer has, and returns the status that follows from it.
    func status(of store: TagBuffer) async -> ExitStatus {
        let count: Int64
        do throws(StoreError) {
            count = try await store.status().deadLetterCount
        } catch {
            console.note("\(error)")
            return .store
        }
        if count == 0 { return .done }
        note(count)
        return .delivery
    }

    /// What an uploader that runs on tells its progress to: it says so whenever dead letters have come.
    func watch() -> @Sendable (DeliveryProgress) -> Void {
        let known = Mutex(0)
        return { [self] progress in
            let more = known.withLock { known in
                defer { known = progress.deadCount }
                return progress.deadCount - known
            }
            if more > 0 { note(Int64(more)) }
        }
    }

    /// Says that so many tags are dead letters.
    func note(_ count: Int64) {
        let what = count == 1 ? "1 tag was" : "\(count) tags were"
        console.note(
            "\(what) refused for good: 'dtvr store list --dead' shows why, 'dtvr store retry' puts them back")
    }
}
