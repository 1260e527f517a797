/// What was found when a buffer was opened, and done about it.
package struct OpeningFindings: Sendable, Hashable {
    /// Why the database was set aside; nil where it was intact.
    package var damage: String?
    /// How many tags were read back out of a database that was set aside.
    package var salvagedCount: Int64 = 0
    /// How many tags are missing that had been acknowledged; they are counted as damaged.
    package var missingCount: Int64 = 0
    /// Whether the high-water mark was there and could be read.
    package var isHighWaterMarkReadable = true

    /// Nothing was found.
    package init() {}
}

/// What reading every row of a buffer has shown.
package struct StoreVerification: Sendable, Hashable {
    /// How many rows were read.
    package var rowCount: Int64 = 0
    /// How many of them have a wrong checksum, or a body that cannot be brought back.
    package var damagedCount: Int64 = 0
    /// The first of those, at most 64.
    package var damagedSequences: [Int64] = []
    /// The complaints of SQLite's own check, at most 20.
    package var structureProblems: [String] = []
    /// The last sequence that was given.
    package var lastSequence: Int64 = 0
    /// The last sequence that the high-water mark knows; nil where it cannot be read.
    package var highWaterMark: Int64?
    /// Every tag that was ever offered, and where it is.
    package var totals = StoreTotals()

    /// Nothing was looked at.
    package init() {}

    /// Counts a row that is damaged.
    mutating func addDamage(at sequence: Int64) {
        damagedCount += 1
        if damagedSequences.count < 64 { damagedSequences.append(sequence) }
    }

    /// Whether nothing is wrong.
    package var isIntact: Bool {
        damagedCount == 0 && structureProblems.isEmpty && totals.isBalanced && rowCount == totals.inStore
            && (highWaterMark ?? 0) <= lastSequence
    }
}
