internal import Synchronization

/// The share of a full buffer that each owner may use before its own oldest tags are evicted first.
final class OwnerShares: Sendable {
    private let shares = Mutex<[TagOwner: Double]>([:])

    /// The number of equal shares per owner; 1 for owners that are not listed.
    ///
    /// Empty if no shares are set.
    var equalShares: [TagOwner: Double] { shares.withLock { $0 } }

    /// Sets the number of equal shares of an owner, at least 1.
    func set(_ count: Double, of owner: TagOwner) {
        shares.withLock { $0[owner] = max(1, count) }
    }
}

extension TagBuffer {
    /// Sets the number of equal shares of the buffer that an owner may use, at least 1.
    ///
    /// When the buffer is full, the oldest tags of an owner above its share are evicted before the oldest tags overall.
    /// The default is one share. If no shares are set at all, the oldest tags are evicted regardless of their owner.
    package func setEqualShares(_ count: Double, of owner: TagOwner) {
        engine.shares.set(count, of: owner)
    }

    /// Returns and clears the owners that lost tags because they exceeded their share of the buffer.
    package func takeLosingOwners() -> Set<TagOwner> { engine.published.takeLosing() }
}
