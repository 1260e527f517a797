internal import Synchronization

/// The totals of a buffer, for every thread to read.
final class PublishedTotals: Sendable {
    private let state = Mutex(StoreTotals())
    private let losing = Mutex<Set<TagOwner>>([])

    var totals: StoreTotals { state.withLock { $0 } }

    /// Counts tags that were refused before they reached the buffer's thread.
    func refuse(_ count: Int) {
        state.withLock { $0.refused += Int64(count) }
    }

    /// Takes over what the buffer's thread counted; the refused are counted here alone.
    func publish(_ totals: StoreTotals) {
        state.withLock { state in
            let refused = state.refused
            state = totals
            state.refused = refused
        }
    }

    /// An owner lost tags because it had more than its share.
    func noteLosing(_ owner: TagOwner) { losing.withLock { _ = $0.insert(owner) } }

    /// The owners that did so since this was asked last.
    func takeLosing() -> Set<TagOwner> {
        losing.withLock { owners in
            defer { owners = [] }
            return owners
        }
    }

    /// Sets what was refused before the buffer was opened.
    func begin(with refused: Int64) {
        state.withLock { $0.refused = refused }
    }
}
