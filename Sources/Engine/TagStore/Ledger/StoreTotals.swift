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
    /// Were in memory only, because the disk took nothing, and went with it.
    public var memoryLost: Int64 = 0

    /// No losses.
    public init() {}

    /// All causes together.
    public var total: Int64 { evicted &+ expired &+ dead &+ pruned &+ damaged &+ memoryLost }
}

/// Every tag that a buffer was ever offered, and where it is.
///
/// `offered = refused + accepted`, and `accepted = delivered + inStore + losses.total`, at any moment.
public struct StoreTotals: Sendable, Hashable, Codable {
    /// Were refused by the buffer itself: too large, or no room and the policy to refuse the newest.
    public var refused: Int64 = 0
    /// Were taken.
    public var accepted: Int64 = 0
    /// Were delivered.
    public var delivered: Int64 = 0
    /// Are in the buffer, or in memory while the disk takes nothing.
    public var inStore: Int64 = 0
    /// Were lost.
    public var losses = LossTotals()

    /// The totals of a new store.
    public init() {}

    /// Were offered.
    public var offered: Int64 { refused &+ accepted }

    /// Whether nothing is unaccounted for.
    public var isBalanced: Bool { accepted == delivered &+ inStore &+ losses.total }
}
