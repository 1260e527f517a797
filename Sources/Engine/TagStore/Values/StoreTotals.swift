/// The number of tags lost since the buffer was created, by cause.
///
/// Sums wrap around on overflow, because a damaged status file may contain any number.
public struct LossTotals: Sendable, Hashable, Codable {
    /// Tags evicted to make room for newer ones.
    public var evicted: Int64 = 0
    /// Tags that exceeded the maximum age.
    public var expired: Int64 = 0
    /// Tags that a collector permanently refused; the latest of them can still be listed.
    public var dead: Int64 = 0
    /// Tags removed on request.
    public var pruned: Int64 = 0
    /// Tags that were unreadable, or missing when the buffer was opened.
    public var damaged: Int64 = 0
    /// Tags lost from memory before they could be written to the disk; they had not been accepted.
    public var memoryLost: Int64 = 0

    /// Creates totals without losses.
    public init() {}

    /// The sum of all causes.
    public var total: Int64 { acceptedTotal &+ memoryLost }

    /// The losses among accepted tags.
    var acceptedTotal: Int64 { evicted &+ expired &+ dead &+ pruned &+ damaged }
}

/// The number of tags ever offered to a buffer, by what became of them.
///
/// At any moment, `offered = refused + accepted + overflow + losses.memoryLost`, and `accepted = delivered + inStore`
/// plus the losses from all causes but `memoryLost`. A tag is accepted when it is on the disk.
public struct StoreTotals: Sendable, Hashable, Codable {
    /// The maximum of a count or a sequence; a larger number is damage, and arithmetic with it could overflow.
    static let maximumCount: Int64 = 1 << 53

    /// Tags that the buffer refused, for example because they were too large or the buffer was full under
    /// `refuseNewest`.
    public var refused: Int64 = 0
    /// Tags accepted and written to the disk.
    public var accepted: Int64 = 0
    /// Tags delivered.
    public var delivered: Int64 = 0
    /// Tags on the disk that wait for delivery.
    public var inStore: Int64 = 0
    /// Tags in memory only, because the disk is not writable.
    public var overflow: Int64 = 0
    /// Tags lost, by cause.
    public var losses = LossTotals()

    /// Creates the totals of a new store.
    public init() {}

    /// Tags offered.
    public var offered: Int64 { refused &+ accepted &+ overflow &+ losses.memoryLost }

    /// Whether every accepted tag is accounted for.
    package var isBalanced: Bool { accepted == delivered &+ inStore &+ losses.acceptedTotal }

    /// The keys of `status.json`, which has the number of tags in memory as a separate member.
    private enum CodingKeys: String, CodingKey {
        case refused, accepted, delivered, inStore, losses
    }
}
