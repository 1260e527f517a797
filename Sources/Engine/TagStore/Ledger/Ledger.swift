/// Every tag that was ever offered and where it is, and the sequence that each accepted one was given.
///
/// A value: a transaction works on a copy, which is kept only where the commit succeeds.
struct Ledger: Sendable {
    /// What a count or a sequence may be: more is damage, and could not be counted on.
    static let maximumCount: Int64 = 1 << 53

    private(set) var totals = StoreTotals()
    /// The last sequence that was given.
    private(set) var lastSequence: Int64 = 0
    /// The last sequence that is on the disk.
    private(set) var lastCommitted: Int64 = 0
    /// Accepted tags that were given no sequence, as far as a damage left that open; below 0 for sequences of no tag.
    private var acceptedBase: Int64 = 0
    /// What of `totals` the database knows.
    private var written = StoreTotals()
    /// The last sequence that the database knows without a row of it.
    private var writtenSequence: Int64 = 0

    // MARK: Changes

    /// Accepts tags that the transaction puts on the disk, and returns the first of their sequences.
    mutating func accept(_ count: Int) -> Int64 {
        let first = lastSequence + 1
        lastSequence += Int64(count)
        lastCommitted = lastSequence
        totals.accepted += Int64(count)
        totals.inStore += Int64(count)
        return first
    }

    /// Tags are kept in memory; their sequences are the next ones.
    mutating func keepInMemory(_ count: Int) {
        lastSequence += Int64(count)
        totals.overflow += Int64(count)
    }

    /// Tags went from memory to the disk, up to that sequence: now they are accepted.
    mutating func moveToDisk(_ count: Int, upTo sequence: Int64) {
        totals.overflow -= Int64(count)
        totals.accepted += Int64(count)
        totals.inStore += Int64(count)
        lastCommitted = sequence
    }

    /// Tags on the disk are gone for that cause.
    mutating func remove(_ count: Int64, as cause: WritableKeyPath<LossTotals, Int64>) {
        totals.inStore -= count
        totals.losses[keyPath: cause] += count
    }

    /// Dead letters wait again.
    ///
    /// Where a damage took the count of them, they were counted as damaged.
    mutating func putBack(_ count: Int64) {
        let known = min(count, totals.losses.dead)
        remove(-known, as: \.dead)
        remove(known - count, as: \.damaged)
    }

    /// Tags on the disk were delivered.
    mutating func deliver(_ count: Int64) {
        totals.inStore -= count
        totals.delivered += count
    }

    /// Tags that were in memory only were delivered, which is as good as the disk.
    mutating func deliverFromMemory(_ count: Int64) {
        totals.overflow -= count
        totals.accepted += count
        totals.delivered += count
    }

    /// Tags that were in memory only are gone.
    mutating func loseFromMemory(_ count: Int64) {
        totals.overflow -= count
        totals.losses.memoryLost += count
    }

    /// What is to be known of the tags in memory should this process end now.
    var overflowMark: OverflowMark {
        OverflowMark(lostCount: totals.losses.memoryLost + totals.overflow, lastSequence: lastSequence)
    }

    /// Refusals are counted where they happen, before the buffer's thread hears of them.
    mutating func takeOver(refused: Int64) { totals.refused = refused }

    // MARK: A commit that failed

    /// The counters of tags that left the disk.
    private static var removals: [(key: String, value: WritableKeyPath<StoreTotals, Int64>)] {
        counters.filter { $0.key != "refused" && $0.key != "memory_lost" }
    }

    /// Whether a database has the counters of this draft, which are not those of the ledger that it was made of.
    func isWritten(in meta: MetaTable, after earlier: Ledger) throws(SQLiteFailure) -> Bool {
        var hasChanged = false
        for (key, value) in Self.removals {
            if totals[keyPath: value] != earlier.totals[keyPath: value] { hasChanged = true }
            guard try meta.number(key) ?? 0 == totals[keyPath: value] else { return false }
        }
        return hasChanged
    }

    /// Takes over what a draft removed from the disk, and nothing that it put there.
    mutating func adoptRemovals(of draft: Ledger, after earlier: Ledger) {
        for (_, value) in Self.removals {
            let count = draft.totals[keyPath: value] - earlier.totals[keyPath: value]
            totals[keyPath: value] += count
            totals.inStore -= count
        }
    }

    // MARK: In the database

    /// The counters that the database keeps; `accepted` follows from the last sequence, and what is in the buffer from
    /// the rows.
    static var counters: [(key: String, value: WritableKeyPath<StoreTotals, Int64>)] {
        [
            ("refused", \.refused), ("delivered", \.delivered), (evictedKey, \.losses.evicted),
            ("expired", \.losses.expired), ("dead", \.losses.dead), ("pruned", \.losses.pruned),
            ("damaged", \.losses.damaged), ("memory_lost", \.losses.memoryLost),
        ]
    }

    /// The key of the evicted, which a salvage counts too.
    static let evictedKey = "evicted"

    /// Writes what the database does not know yet, in the transaction that changes it.
    mutating func write(to meta: MetaTable) throws(SQLiteFailure) {
        // An append changes only what is not written, and the way through the key paths is long.
        guard
            totals.refused != written.refused || totals.delivered != written.delivered
                || totals.losses != written.losses
        else { return }
        for (key, value) in Self.counters where totals[keyPath: value] != written[keyPath: value] {
            try meta.setNumber(key, totals[keyPath: value])
        }
        // No sequence may be given again, whatever rows have gone; tags that were lost in memory have used up some
        // that no row ever had.
        let isMemoryLost = totals.losses.memoryLost != written.losses.memoryLost
        writtenSequence = max(writtenSequence, isMemoryLost ? lastSequence : lastCommitted)
        try meta.setNumber(MetaKey.lastSequence, writtenSequence)
        written = totals
    }

    /// Writes every counter into a new database: what `read` has made of it.
    func writeAll(to meta: MetaTable) throws(SQLiteFailure) {
        for (key, value) in Self.counters { try meta.setNumber(key, written[keyPath: value]) }
    }

    /// Takes over what a database says; where this ledger is already in use, only notes what that is.
    ///
    /// - Parameters:
    ///   - fallback: What to believe where the database has lost a counter.
    ///   - overflow: What an earlier owner left in memory.
    mutating func read<Failure: Error>(
        from number: (_ key: String) throws(Failure) -> Int64?, fallback: StoreTotals?,
        overflow: OverflowMark?,
        isInUse: Bool
    ) throws(Failure) {
        var read = StoreTotals()
        for (key, value) in Self.counters {
            let known = try number(key) ?? fallback?[keyPath: value]
            if let known, (0...Self.maximumCount).contains(known) { read[keyPath: value] = known }
        }
        written = read
        guard !isInUse else { return }
        totals = read
        if let overflow {
            totals.losses.memoryLost = max(totals.losses.memoryLost, overflow.lostCount)
            lastSequence = overflow.lastSequence
        }
        let base = try number(MetaKey.acceptedBase) ?? 0
        if (-Self.maximumCount...Self.maximumCount).contains(base) { acceptedBase = base }
    }

    /// How many accepted tags are nowhere: below 0, there are more than were counted.
    ///
    /// - Parameters:
    ///   - last: The last sequence that anybody knows of.
    ///   - rowCount: How many tags the database has.
    func missingCount(upTo last: Int64, rowCount: Int64) -> Int64 {
        let accepted = max(last, lastSequence) + acceptedBase - totals.overflow - totals.losses.memoryLost
        return accepted - totals.delivered - totals.losses.acceptedTotal - rowCount
    }

    /// Counts the rows, accounts for what is missing, and returns how much that is.
    ///
    /// - Parameters:
    ///   - top: The last sequence that has a row.
    ///   - marked: The last sequence that the high-water mark knows; 0 for none.
    mutating func balance(
        with database: TagDatabase, top: Int64, marked: Int64
    ) throws(SQLiteFailure) -> Int64 {
        let written = try database.meta.number(MetaKey.lastSequence) ?? 0
        let known = written <= Self.maximumCount ? written : 0
        let last = max(top, lastCommitted, marked, known)
        lastSequence = max(last, lastSequence)
        lastCommitted = last
        totals.inStore = try database.tags.count()
        var missing = missingCount(upTo: last, rowCount: totals.inStore)
        // A process that ended between a commit and the writing of the mark beside it: what the mark says was in memory had
        // just got to the disk.
        let doubled = min(-missing, totals.losses.memoryLost - self.written.losses.memoryLost)
        if doubled > 0 {
            totals.losses.memoryLost -= doubled
            missing += doubled
        }
        if missing > 0 {
            totals.losses.damaged += missing
        } else if missing < 0 {
            acceptedBase -= missing
            try database.meta.setNumber(MetaKey.acceptedBase, acceptedBase)
        }
        totals.accepted = totals.delivered + totals.losses.acceptedTotal + totals.inStore
        writtenSequence = max(writtenSequence, last)
        if last > max(top, known) { try database.meta.setNumber(MetaKey.lastSequence, last) }
        return max(0, missing)
    }
}
