/// The problems that were found and repaired when a buffer was opened.
package struct OpeningFindings: Sendable, Hashable {
    /// The reason why the database was set aside; nil if it was intact.
    package var damage: String?
    /// The number of tags salvaged from a database that was set aside.
    package var salvagedCount: Int64 = 0
    /// The number of acknowledged tags that are missing; they are counted as damaged.
    package var missingCount: Int64 = 0
    /// Whether the high-water mark was present and valid; also true for a new buffer.
    package var isHighWaterMarkReadable = true

    /// Creates findings without problems.
    package init() {}
}

/// The result of verifying every row of a buffer.
public struct StoreVerification: Sendable, Hashable, Codable {
    /// The number of rows read, including those in memory.
    public package(set) var rowCount: Int64 = 0
    /// The number of rows with a wrong checksum or an undecodable body.
    public package(set) var damagedCount: Int64 = 0
    /// The sequences of the first damaged rows, at most 64.
    public package(set) var damagedSequences: [Int64] = []
    /// The problems that SQLite's own check found, at most 20.
    public package(set) var structureProblems: [String] = []
    /// The last assigned sequence.
    public package(set) var lastSequence: Int64 = 0
    /// The last sequence in the high-water mark; nil if it is not readable.
    public package(set) var highWaterMark: Int64?
    /// The number of tags ever offered, by what became of them.
    public package(set) var totals = StoreTotals()

    /// Creates an empty result.
    package init() {}

    /// Records a damaged row.
    mutating func addDamage(at sequence: Int64) {
        damagedCount += 1
        if damagedSequences.count < 64 { damagedSequences.append(sequence) }
    }

    /// Whether no problem was found: no row is damaged, and the totals agree with the rows.
    public var isIntact: Bool {
        damagedCount == 0 && structureProblems.isEmpty && totals.isBalanced && rowCount == totals.inStore
            && (highWaterMark ?? 0) <= lastSequence
    }
}
