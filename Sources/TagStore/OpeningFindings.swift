/// What was found when a store was opened, and done about it.
public struct OpeningFindings: Sendable, Hashable {
    /// Why the database was set aside; nil where it was whole.
    public var damage: String?
    /// How many tags were read back out of a database that was set aside.
    public var salvagedCount: Int64 = 0
    /// How many tags are missing that had been acknowledged; they are counted as damaged.
    public var missingCount: Int64 = 0
    /// Whether the side file with the last committed sequence was there and could be read.
    public var isHighWaterMarkReadable = true

    /// Nothing was found.
    public init() {}
}

/// What reading every row of a store brought to light.
public struct StoreVerification: Sendable, Hashable {
    /// How many rows were read.
    public var rowCount: Int64 = 0
    /// How many of them have a wrong checksum, or a body that cannot be brought back.
    public var damagedCount: Int64 = 0
    /// The first of those, at most 64.
    public var damagedSequences: [Int64] = []
    /// The complaints of SQLite's own check, at most 20.
    public var structureProblems: [String] = []
    /// The last sequence that was given.
    public var lastSequence: Int64 = 0
    /// The last sequence of the side file; nil where it cannot be read.
    public var highWaterMark: Int64?
    /// Every tag that was ever offered, and where it is.
    public var totals = StoreTotals()

    /// Nothing was looked at.
    public init() {}

    /// Whether nothing is wrong.
    public var isWhole: Bool {
        damagedCount == 0 && structureProblems.isEmpty && totals.isBalanced && rowCount == totals.inStore
            && (highWaterMark ?? 0) <= lastSequence
    }
}
