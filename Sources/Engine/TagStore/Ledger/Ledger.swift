/// The counts of all tags ever offered and the sequences of the accepted ones.
///
/// A value: a transaction works on a copy, which replaces the ledger only if the commit succeeds.
struct Ledger: Sendable {
    private(set) var totals = StoreTotals()
    /// The last assigned sequence.
    private(set) var lastSequence: Int64 = 0
    /// The last sequence on the disk.
    private(set) var lastCommitted: Int64 = 0
    /// The correction for accepted tags without a sequence, after damage; negative for sequences without a tag.
    private var acceptedBase: Int64 = 0
    /// The part of `totals` that the database contains.
    private var written = StoreTotals()
    /// The last sequence that the database records apart from its rows.
    private var writtenSequence: Int64 = 0

    // MARK: Changes

    /// Accepts tags that the transaction writes to the disk, and returns their first sequence.
    mutating func accept(_ count: Int) -> Int64 {
        let first = lastSequence + 1
        lastSequence += Int64(count)
        lastCommitted = lastSequence
        totals.accepted += Int64(count)
        totals.inStore += Int64(count)
        return first
    }

    /// Counts tags that are kept in memory, and assigns the next sequences to them.
    mutating func keepInMemory(_ count: Int) {
        lastSequence += Int64(count)
        totals.overflow += Int64(count)
    }

    /// Counts tags that moved from memory to the disk, up to a sequence, and are now accepted.
    mutating func moveToDisk(_ count: Int, upTo sequence: Int64) {
        totals.overflow -= Int64(count)
        totals.accepted += Int64(count)
        totals.inStore += Int64(count)
        lastCommitted = sequence
    }

    /// Counts tags removed from the disk under a cause of loss.
    mutating func remove(_ count: Int64, as cause: WritableKeyPath<LossTotals, Int64>) {
        totals.inStore -= count
        totals.losses[keyPath: cause] += count
    }

    /// Counts dead letters that are pending again.
    ///
    /// If damage destroyed the count of dead letters, they were counted as damaged and are subtracted there.
    mutating func putBack(_ count: Int64) {
        let known = min(count, totals.losses.dead)
        remove(-known, as: \.dead)
        remove(known - count, as: \.damaged)
    }

    /// Counts tags delivered from the disk.
    mutating func deliver(_ count: Int64) {
        totals.inStore -= count
        totals.delivered += count
    }

    /// Counts tags delivered directly from memory as accepted and delivered.
    mutating func deliverFromMemory(_ count: Int64) {
        totals.overflow -= count
        totals.accepted += count
        totals.delivered += count
    }

    /// Counts tags lost from memory.
    mutating func loseFromMemory(_ count: Int64) {
        totals.overflow -= count
        totals.losses.memoryLost += count
    }

    /// The record for the next owner in case this process ends now and loses the tags in memory.
    var overflowMark: OverflowMark {
        OverflowMark(lostCount: totals.losses.memoryLost + totals.overflow, lastSequence: lastSequence)
    }

    /// Adopts the number of refusals, which other threads count.
    mutating func setRefused(_ count: Int64) { totals.refused = count }

    // MARK: A commit that failed

    /// The counters for tags that left the disk.
    private static var removals: [(key: String, value: WritableKeyPath<StoreTotals, Int64>)] {
        counters.filter { $0.key != "refused" && $0.key != "memory_lost" }
    }

    /// A transaction whose commit failed, although the database may contain it.
    struct UnknownCommit: Sendable {
        let before: Ledger
        let after: Ledger

        /// Returns whether a database has the counters after the transaction, and they differ from those before.
        fileprivate func isWritten<Failure: Error>(
            from number: (_ key: String) throws(Failure) -> Int64?
        ) throws(Failure) -> Bool {
            var hasChanged = false
            for (key, value) in Ledger.removals {
                if after.totals[keyPath: value] != before.totals[keyPath: value] { hasChanged = true }
                guard try number(key) ?? 0 == after.totals[keyPath: value] else { return false }
            }
            return hasChanged
        }
    }

    /// Adopts the removals of a transaction, but not its insertions, if the database contains it.
    mutating func adopt<Failure: Error>(
        _ commit: UnknownCommit, from number: (_ key: String) throws(Failure) -> Int64?
    ) throws(Failure) {
        guard try commit.isWritten(from: number) else { return }
        for (_, value) in Self.removals {
            let count = commit.after.totals[keyPath: value] - commit.before.totals[keyPath: value]
            totals[keyPath: value] += count
            totals.inStore -= count
        }
    }

    /// Lowers the last sequence that a database records apart from its rows, after its last insertions were reverted.
    func withdrawSequences(from meta: MetaTable) throws(SQLiteFailure) {
        if try meta.number(MetaKey.lastSequence) ?? 0 > lastSequence {
            try meta.setNumber(MetaKey.lastSequence, lastSequence)
        }
    }

    // MARK: In the database

    /// The counters that the database stores.
    ///
    /// `accepted` is derived from the last sequence, and `inStore` from the rows.
    static var counters: [(key: String, value: WritableKeyPath<StoreTotals, Int64>)] {
        [
            ("refused", \.refused), ("delivered", \.delivered), (evictedKey, \.losses.evicted),
            ("expired", \.losses.expired), ("dead", \.losses.dead), ("pruned", \.losses.pruned),
            ("damaged", \.losses.damaged), ("memory_lost", \.losses.memoryLost),
        ]
    }

    /// The key of the counter `evicted`, which a salvage also updates.
    static let evictedKey = "evicted"

    /// Writes the changed counters, in the transaction that changes them.
    mutating func write(to meta: MetaTable) throws(SQLiteFailure) {
        // An append changes none of these counters, and the loop over the key paths is slow.
        guard
            totals.refused != written.refused || totals.delivered != written.delivered
                || totals.losses != written.losses
        else { return }
        for (key, value) in Self.counters where totals[keyPath: value] != written[keyPath: value] {
            try meta.setNumber(key, totals[keyPath: value])
        }
        // Sequences must never be reused, even after their rows are deleted. Tags lost in memory used sequences that
        // never had a row.
        let isMemoryLost = totals.losses.memoryLost != written.losses.memoryLost
        writtenSequence = max(writtenSequence, isMemoryLost ? lastSequence : lastCommitted)
        try meta.setNumber(MetaKey.lastSequence, writtenSequence)
        written = totals
    }

    /// Writes every counter, as `read` found it, into a new database.
    func writeAll(to meta: MetaTable) throws(SQLiteFailure) {
        for (key, value) in Self.counters { try meta.setNumber(key, written[keyPath: value]) }
    }

    /// Adopts the counters of a database; if this ledger is already in use, only records what the database contains.
    ///
    /// - Parameters:
    ///   - fallback: The totals to use for counters that the database has lost.
    ///   - overflow: The record of the tags that an earlier owner had in memory.
    mutating func read<Failure: Error>(
        from number: (_ key: String) throws(Failure) -> Int64?, fallback: StoreTotals?,
        overflow: OverflowMark?,
        isInUse: Bool
    ) throws(Failure) {
        var read = StoreTotals()
        for (key, value) in Self.counters {
            let known = try number(key) ?? fallback?[keyPath: value]
            if let known, (0...StoreTotals.maximumCount).contains(known) { read[keyPath: value] = known }
        }
        written = read
        guard !isInUse else { return }
        totals = read
        if let overflow {
            totals.losses.memoryLost = max(totals.losses.memoryLost, overflow.lostCount)
            lastSequence = overflow.lastSequence
        }
        let base = try number(MetaKey.acceptedBase) ?? 0
        if (-StoreTotals.maximumCount...StoreTotals.maximumCount).contains(base) { acceptedBase = base }
    }

    /// Returns the number of accepted tags that are unaccounted for; negative if there are more tags than were counted.
    ///
    /// - Parameters:
    ///   - last: The last sequence known from any source.
    ///   - rowCount: The number of tags in the database.
    func missingCount(upTo last: Int64, rowCount: Int64) -> Int64 {
        // The row of a damaged page may have any number.
        let known = min(max(last, lastSequence), StoreTotals.maximumCount)
        let accepted = known + acceptedBase - totals.overflow - totals.losses.memoryLost
        return accepted - totals.delivered - totals.losses.acceptedTotal - rowCount
    }

    /// Counts the rows, accounts for missing tags, and returns their number.
    ///
    /// - Parameters:
    ///   - top: The last sequence that has a row.
    ///   - marked: The last sequence in the high-water mark; 0 for none.
    ///   - isInUse: Whether the ledger counted the rows before the database was opened again.
    mutating func balance(
        with database: TagDatabase, top: Int64, marked: Int64, isInUse: Bool
    ) throws(SQLiteFailure) -> Int64 {
        let written = try database.meta.number(MetaKey.lastSequence) ?? 0
        let known = written <= StoreTotals.maximumCount ? written : 0
        let last = max(top, lastCommitted, marked, known)
        lastSequence = max(last, lastSequence)
        // The database may also record the sequence of a tag in memory, whose first commit failed.
        if !isInUse { lastCommitted = last }
        totals.inStore = try database.tags.count()
        var missing = missingCount(upTo: last, rowCount: totals.inStore)
        // If the process ended between a commit and the write of the mark, the mark still counts tags as lost in memory
        // that had just reached the disk.
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
