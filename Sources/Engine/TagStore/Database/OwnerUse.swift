/// The number of bytes that each owner uses, as far as they are counted.
struct OwnerUse: Sendable {
    /// The part of a full buffer that records other than tags may use.
    static let recordShare = 0.125

    /// The sequence of what is not a tag, and counted from the beginning.
    static let withoutSequence = Int64.min

    private(set) var byteCounts: [TagOwner: Int] = [:]
    private var byteCount = 0
    /// The last sequence that is counted; `Int64.max` when all rows are, and new rows are counted on insertion.
    private(set) var countedUpTo: Int64 = -1
    /// The sequence at which to start searching for an owner's oldest row, based on earlier deletions.
    ///
    /// Only owners with rows have one.
    private(set) var firstSequences: [TagOwner: Int64] = [:]

    var isComplete: Bool { countedUpTo == .max }

    /// Counts the next row after those already counted.
    mutating func count(_ byteCount: Int, of owner: TagOwner, sequence: Int64) {
        countedUpTo = max(countedUpTo, sequence)
        change(by: byteCount, of: owner)
    }

    /// Marks all rows as counted.
    mutating func complete() { countedUpTo = .max }

    /// Adjusts the count for a row that was inserted, deleted or resized.
    mutating func change(by difference: Int, of owner: TagOwner, sequence: Int64) {
        if sequence <= countedUpTo { change(by: difference, of: owner) }
    }

    private mutating func change(by difference: Int, of owner: TagOwner) {
        byteCount += difference
        let rest = byteCounts[owner, default: 0] + difference
        byteCounts[owner] = rest > 0 ? rest : nil
        if rest <= 0 { firstSequences[owner] = nil }
    }

    /// Returns the owner furthest above its share; nil if none is above it or the count is incomplete.
    ///
    /// Among `n` owners, an owner with `m` equal shares may use `m` parts while each other owner has one part. It may
    /// use the whole buffer if it is alone, and two thirds if there are two owners and it has two shares.
    ///
    /// Records other than tags may use `recordShare`, whatever the shares of the others.
    ///
    /// - Parameters:
    ///   - equalShares: The number of equal shares per owner; 1 for owners that are not listed. If it is empty, only
    ///     records are compared with their share.
    ///   - incoming: The bytes of the rows to be inserted, which count like stored ones.
    func furthestAboveShare(
        _ equalShares: [TagOwner: Double], adding incoming: [TagOwner: Int] = [:]
    ) -> TagOwner? {
        guard isComplete else { return nil }
        let byteCounts = byteCounts.merging(incoming, uniquingKeysWith: +)
        let byteCount = incoming.values.reduce(byteCount, +)
        var furthest: (owner: TagOwner, ratio: Double)?
        let records = [TagOwner.records, .records.quarantined].filter { byteCounts[$0] != nil }
        for owner in records {
            let ratio = Double(byteCounts[owner, default: 0]) / (Double(byteCount) * Self.recordShare)
            if ratio > furthest?.ratio ?? 1 { furthest = (owner, ratio) }
        }
        if equalShares.isEmpty { return furthest?.owner }
        let count = Double(byteCounts.count - records.count)
        for (owner, ownBytes) in byteCounts where owner.admitted != .records {
            let shares = equalShares[owner] ?? 1
            let share = Double(byteCount) * shares / (count + shares - 1)
            let ratio = Double(ownBytes) / share
            if ratio > furthest?.ratio ?? 1 { furthest = (owner, ratio) }
        }
        return furthest?.owner
    }

    /// Returns the first sequence at which an owner may have rows.
    func firstSequence(of owner: TagOwner) -> Int64 { firstSequences[owner] ?? 0 }

    /// Records that all rows of an owner before a sequence are deleted or in flight.
    mutating func setFirstSequence(of owner: TagOwner, _ sequence: Int64) {
        // The last row of the owner may just have been deleted.
        firstSequences[owner] = byteCounts[owner] == nil ? nil : sequence
    }
}

/// Rows that are about to be inserted, without the oldest of an owner above its share.
struct IncomingRows: Sendable {
    /// The number of rows that are inserted.
    private(set) var rowCount: Int
    /// The size of their bodies.
    private(set) var byteCount: Int
    /// The bytes of the rows of each owner; empty until they are listed.
    private(set) var byteCounts: [TagOwner: Int] = [:]
    /// The sizes of the rows of each owner, the oldest last.
    private var sizes: [TagOwner: [Int]] = [:]
    /// The number of rows of each owner that are left out, which are its oldest.
    private var leftOut: [TagOwner: Int] = [:]

    init(rowCount: Int, byteCount: Int) {
        self.rowCount = rowCount
        self.byteCount = byteCount
    }

    /// Whether all rows are inserted.
    var isComplete: Bool { leftOut.isEmpty }

    /// Lists the owner and the size of each row, oldest first, unless they are listed.
    mutating func list(_ rows: () -> [(owner: TagOwner, byteCount: Int)]) {
        guard sizes.isEmpty else { return }
        for row in rows().reversed() {
            sizes[row.owner, default: []].append(row.byteCount)
            byteCounts[row.owner, default: 0] += row.byteCount
        }
    }

    /// Leaves out the oldest row of an owner; returns false if there is none.
    mutating func leaveOutOldest(of owner: TagOwner) -> Bool {
        guard let size = sizes[owner]?.popLast() else { return false }
        let rest = byteCounts[owner, default: 0] - size
        byteCounts[owner] = rest > 0 ? rest : nil
        leftOut[owner, default: 0] += 1
        rowCount -= 1
        byteCount -= size - EncodedAppend.fieldByteCount
        return true
    }

    /// Returns whether the next row of an owner is left out; the caller counts it as evicted.
    mutating func skips(_ owner: TagOwner) -> Bool {
        guard let rest = leftOut[owner], rest > 0 else { return false }
        leftOut[owner] = rest - 1
        return true
    }
}
