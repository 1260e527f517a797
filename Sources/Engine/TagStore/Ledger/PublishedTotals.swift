internal import Synchronization

/// The totals of a buffer, readable from every thread.
final class PublishedTotals: Sendable {
    private let state = Mutex(StoreTotals())
    private let losing = Mutex<Set<TagOwner>>([])

    var totals: StoreTotals { state.withLock { $0 } }

    /// Counts tags that were refused, on any thread.
    func refuse(_ count: Int) {
        state.withLock { $0.refused += Int64(count) }
    }

    /// Publishes the totals of the buffer's thread, except for the refusals, which are counted here.
    func publish(_ totals: StoreTotals) {
        state.withLock { state in
            let refused = state.refused
            state = totals
            state.refused = refused
        }
    }

    /// The maximum number of owners that are recorded until a monitor takes them, which it does each second.
    ///
    /// In a buffer without a monitor, they are never taken.
    static let maximumLosingCount = 4_096

    /// Records that an owner lost tags because it exceeded its share.
    func recordLoss(of owner: TagOwner) {
        losing.withLock { if $0.count < Self.maximumLosingCount { $0.insert(owner) } }
    }

    /// Returns and clears the recorded owners.
    func takeLosing() -> Set<TagOwner> {
        losing.withLock { owners in
            defer { owners = [] }
            return owners
        }
    }

    /// Sets the number of tags that were refused before the buffer was opened.
    func begin(with refused: Int64) {
        state.withLock { $0.refused = refused }
    }
}
