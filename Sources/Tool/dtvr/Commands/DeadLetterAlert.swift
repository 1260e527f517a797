import Synchronization
import TagDelivery
import TagStore

/// Warns about the dead letters in a buffer.
struct DeadLetterAlert {
    private let console: Console

    init(_ console: Console) { self.console = console }

    /// Prints the number of dead letters in a buffer, and returns the matching exit status.
    func status(of store: BufferAccess) async -> ExitStatus {
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

    /// Returns a progress handler for a long-running uploader that reports each new dead letter.
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

    /// Prints that `count` tags are dead letters.
    func note(_ count: Int64) {
        let what = count == 1 ? "1 tag was" : "\(count) tags were"
        console.note(
            "\(what) permanently refused: 'dtvr store list --dead' shows the reasons, 'dtvr store retry' puts them "
                + "back")
    }
}
