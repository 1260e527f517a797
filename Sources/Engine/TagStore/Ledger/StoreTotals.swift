/// How many accepted tags were lost since the buffer was made, by cause.
///
/// Sums wrap around: a status is a file like any other, and may say anything.
public struct LossTotals: Sendable, Hashable, Codable {
    /// Made room for newer ones.
    public var evicted: Int64 = 0
    /// Were older than a tag may be.
    public var expired: Int64 = 0
    /// Were refused by a collector for good; the latest of them can still be listed.
    public var dead: Int64 = 0
    /// Were removed by hand.
    public var pruned: Int64 = 0
    /// Could not be read back, or were missing when the buffer was opened.
    public var damaged: Int64 = 0
    /// Were in memory only, because the disk took nothing, and went with it; they had not been accepted.
    public var memoryLost: Int64 = 0

    /// No losses.
    public init() {}

    /// All causes together.
    public var total: Int64 { acceptedTotal &+ memoryLost }

    /// What was lost of the tags that had been accepted.
    var acceptedTotal: Int64 { evicted &+ expired &+ dead &+ pruned &+ damaged }
}

/// Every tag that a buffer was ever offered, and where it is.
///
/// At any moment `offered = refused + accepted + overflow + losses.memoryLost`, and `accepted = delivered + inStore` and
/// what was lost for any other cause. A tag is accepted once it is on the disk.
public struct StoreTotals: Sendable, Hashable, Codable {
    /// Were refused by the buffer itself: too large, or no room and the policy to refuse the newest.
    public var refused: Int64 = 0
    /// Were taken, and put on the disk.
    public var accepted: Int64 = 0
    /// Were delivered.
    public var delivered: Int64 = 0
    /// Are in the buffer.
    public var inStore: Int64 = 0
    /// Are in memory only, because the disk takes nothing.
    public var overflow: Int64 = 0
    /// Were lost.
    public var losses = LossTotals()

    /// The totals of a new store.
    public init() {}

    /// Were offered.
    public var offered: Int64 { refused &+ accepted &+ overflow &+ losses.memoryLost }

    /// Whether nothing is unaccounted for.
    public var isBalanced: Bool { accepted == delivered &+ inStore &+ losses.acceptedTotal }

    /// The keys of `status.json`, where what is in memory stands by itself.
    private enum CodingKeys: String, CodingKey {
        case refused, accepted, delivered, inStore, losses
    }
}
