internal import Synchronization

/// How much of a full buffer each owner may have before its own oldest tags make room, and not the oldest of all.
final class OwnerShares: Sendable {
    private let shares = Mutex<[TagOwner: Double]>([:])

    /// How many equal shares an owner may have, by owner; one for those that are not here.
    ///
    /// Empty where there are no shares.
    var equalShares: [TagOwner: Double] { shares.withLock { $0 } }

    /// Sets how many equal shares an owner may have, 1 at the least.
    func set(_ count: Double, of owner: TagOwner) {
        shares.withLock { $0[owner] = max(1, count) }
    }
}

extension TagBuffer {
    /// Sets how many equal shares of the buffer an owner may have, 1 at the least, before its own oldest tags make room while
    /// the buffer is full, and not the oldest of all.
    ///
    /// An owner for which nothing is set may have one; where nothing is set at all, the oldest go, whose they are.
    package func setEqualShares(_ count: Double, of owner: TagOwner) {
        engine.shares.set(count, of: owner)
    }

    /// The owners that lost tags, since this was asked last, because they had more than their share of the buffer.
    package func takeLosingOwners() -> Set<TagOwner> { engine.published.takeLosing() }
}
