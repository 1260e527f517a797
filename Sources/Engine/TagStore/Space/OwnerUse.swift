/// How much of a buffer each owner has, as far as that was counted.
struct OwnerUse: Sendable {
    private var byteCounts: [TagOwner: Int] = [:]
    private var byteCount = 0
    /// Up to which sequence the rows are counted; `Int64.max` once all are, and those that come are counted as they do.
    private(set) var countedUpTo: Int64 = -1
    /// Where to look for the oldest row of an owner, from what went already.
    private var firstSequences: [TagOwner: Int64] = [:]

    var isComplete: Bool { countedUpTo == .max }

    /// Counts a row that was found behind those that are counted.
    mutating func count(_ byteCount: Int, of owner: TagOwner, sequence: Int64) {
        countedUpTo = max(countedUpTo, sequence)
        change(by: byteCount, of: owner)
    }

    /// There are no rows behind those that are counted.
    mutating func complete() { countedUpTo = .max }

    /// A row has come, or gone, or is of another size.
    mutating func change(by difference: Int, of owner: TagOwner, sequence: Int64) {
        if sequence <= countedUpTo { change(by: difference, of: owner) }
    }

    private mutating func change(by difference: Int, of owner: TagOwner) {
        byteCount += difference
        let rest = byteCounts[owner, default: 0] + difference
        byteCounts[owner] = rest > 0 ? rest : nil
        if rest <= 0 { firstSequences[owner] = nil }
    }

    /// The owner that is furthest above its share; nil where none is above it, or not all was counted.
    ///
    /// Of `n` owners, one that may have `m` equal shares may have `m` parts where each other one has one part: all of the
    /// buffer where it is alone, two thirds of it where there are two and it may have two.
    ///
    /// - Parameter equalShares: How many an owner may have; one for those that are not in it.
    func furthestAboveShare(_ equalShares: [TagOwner: Double]) -> TagOwner? {
        guard isComplete else { return nil }
        var furthest: (owner: TagOwner, ratio: Double)?
        for (owner, ownBytes) in byteCounts {
            let shares = equalShares[owner] ?? 1
            let share = Double(byteCount) * shares / (Double(byteCounts.count) + shares - 1)
            let ratio = Double(ownBytes) / share
            if ratio > furthest?.ratio ?? 1 { furthest = (owner, ratio) }
        }
        return furthest?.owner
    }

    /// What the rows of an owner that are counted take.
    func byteCount(of owner: TagOwner) -> Int { byteCounts[owner] ?? 0 }

    /// From which sequence on an owner may have rows.
    func firstSequence(of owner: TagOwner) -> Int64 { firstSequences[owner] ?? 0 }

    /// All rows of an owner before this one are gone, or in flight.
    mutating func noteFirstSequence(of owner: TagOwner, _ sequence: Int64) {
        firstSequences[owner] = sequence
    }
}
