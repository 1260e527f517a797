internal import Synchronization

/// The room for tags in the database: the size limit, and the eviction of what exceeds it.
///
/// Used only on the buffer's thread.
final class Space {
    private let budget: StoreBudget
    private let policy: StoreSettings.FullPolicy
    private let shares: OwnerShares
    private let disk: DiskSpace
    /// Whether records other than tags have been appended since the buffer was opened; earlier ones do not grow.
    private var hasRecords = false

    init(
        _ budget: StoreBudget, policy: StoreSettings.FullPolicy, shares: OwnerShares, disk: DiskSpace
    ) {
        self.budget = budget
        self.policy = policy
        self.shares = shares
        self.disk = disk
    }

    /// Whether rows do not fit because the disk is full, not the buffer.
    var isDiskToBlame: Bool { disk.isFull && policy == .evictOldest }

    /// The number of rows per step when counting the bytes of each owner before the buffer is full.
    private static let countingStep = 100_000

    /// Evicts tags of owners above their share until the given rows fit, or no owner is above its share.
    ///
    /// Each step deletes the oldest tags of the owner furthest above its share, in a separate transaction. Records
    /// other than tags are deleted under every policy, so that they never displace a tag.
    ///
    /// - Parameters:
    ///   - rows: The given rows. An owner above its share loses the oldest of them if it has no others, or if these are
    ///     in flight.
    ///   - recordByteCount: The size of the given rows that are records other than tags.
    ///   - list: Returns the owner and the size of each given row, oldest first; called if they do not fit.
    func evictAboveShare(
        for rows: inout IncomingRows, recordByteCount: Int,
        listing list: () -> [(owner: TagOwner, byteCount: Int)], through gate: DatabaseGate,
        sparing inFlight: InFlightTags
    ) throws(StoreError) {
        if recordByteCount > 0 { hasRecords = true }
        let equalShares = policy == .evictOldest ? shares.equalShares : [:]
        guard hasRecords || !equalShares.isEmpty else { return }
        while try lacksRoom(for: rows, through: gate) {
            rows.list(list)
            let above = try gate.read { [rows] database throws(SQLiteFailure) -> TagOwner? in
                try database.countUse(maximumRowCount: .max)
                return database.tags.use?.furthestAboveShare(equalShares, adding: rows.byteCounts)
            }
            guard let above else { return }
            let count = try gate.transact { (database, ledger) throws(SQLiteFailure) -> Int64 in
                let count = try database.tags.deleteOldest(
                    of: above, in: inFlight.others(in: 0...Int64.max))
                ledger.remove(count, as: \.evicted)
                return count
            }
            if count == 0 {
                guard policy == .evictOldest, rows.leaveOutOldest(of: above) else { return }
            }
            gate.recordLoss(of: above)
        }
    }

    /// Returns whether rows do not fit, and counts the bytes of each owner in time if they soon will not.
    private func lacksRoom(for rows: IncomingRows, through gate: DatabaseGate) throws(StoreError) -> Bool {
        let needed = budget.pageCount(ofRows: rows.rowCount, byteCount: rows.byteCount)
        let usable = disk.usablePageCount
        return try gate.read { database throws(SQLiteFailure) in
            if try database.pages.lacksRoom(forPages: needed, within: usable) { return true }
            if let estimate = database.pages.estimate, estimate > usable / 4 * 3 {
                try database.countUse(maximumRowCount: Self.countingStep)
            }
            return false
        }
    }

    /// Deletes the oldest tags in steps until the given rows fit.
    ///
    /// Returns false if the policy forbids deletion or there is nothing left to delete.
    func makeRoom(
        for rows: IncomingRows, in database: TagDatabase, sparing inFlight: InFlightTags,
        _ ledger: inout Ledger
    ) throws(SQLiteFailure) -> Bool {
        let needed = budget.pageCount(ofRows: rows.rowCount, byteCount: rows.byteCount)
        let usable = disk.usablePageCount
        while try !database.pages.hasRoom(forPages: needed, within: usable) {
            var count: Int64 = 0
            if policy == .evictOldest {
                count = try deleteStep(in: database.tags, sharing: shares.equalShares, sparing: inFlight)
            }
            if count == 0 {
                guard disk.growsAgain(database) else { return false }
                return try database.pages.hasRoom(forPages: needed, within: budget.usablePageCount)
            }
            ledger.remove(count, as: \.evicted)
        }
        return true
    }

    /// Deletes one step of the oldest tags of the owner furthest above its share, or else of the oldest tags.
    private func deleteStep(
        in tags: TagTable, sharing equalShares: [TagOwner: Double], sparing inFlight: InFlightTags
    ) throws(SQLiteFailure) -> Int64 {
        if !equalShares.isEmpty, let above = tags.use?.furthestAboveShare(equalShares) {
            let count = try tags.deleteOldest(of: above, in: inFlight.others(in: 0...Int64.max))
            if count > 0 { return count }
        }
        return try deleteOldest(in: tags, sparing: inFlight)
    }

    /// Deletes one step of the oldest tags; tags in flight only if there are no others.
    private func deleteOldest(
        in tags: TagTable, sparing inFlight: InFlightTags
    ) throws(SQLiteFailure) -> Int64 {
        for range in inFlight.others(in: 0...Int64.max) {
            let deleted = try tags.deleteOldest(in: range)
            if deleted > 0 { return deleted }
        }
        return try tags.deleteOldest(in: 0...Int64.max)
    }

    /// Deletes bookmarks above their size limit: those of earlier versions, then those that were written first.
    ///
    /// - Returns: Whether there were any.
    func boundBookmarks(through gate: DatabaseGate) throws(StoreError) -> Bool {
        var hasDeleted = false
        while true {
            let excess = try gate.read { database throws(SQLiteFailure) in
                try database.bookmarks.byteCount() - budget.bookmarkByteCount
            }
            guard excess > 0 else { return hasDeleted }
            let count = try gate.transact { (database, _) throws(SQLiteFailure) -> Int64 in
                let count = try database.bookmarks.deleteEarlier()
                if count > 0 { return count }
                let oldest = try database.bookmarks.list().sorted { $0.written < $1.written }
                    .prefix(BookmarkTable.deletionStep)
                try database.delete(oldest)
                return Int64(oldest.count)
            }
            if count == 0 { return hasDeleted }
            hasDeleted = true
        }
    }

    /// Deletes the oldest dead letters above their size limit; they stay in the totals.
    func boundDeadLetters(through gate: DatabaseGate) throws(StoreError) {
        while true {
            let byteCount = try gate.read { database throws(SQLiteFailure) in
                try database.deadLetters.byteCount()
            }
            guard byteCount > budget.deadByteCount else { return }
            try gate.transact { (database, _) throws(SQLiteFailure) in
                try database.deadLetters.deleteOldest(64)
            }
        }
    }

    /// Returns a few unused pages to the disk, if there are many more than the next appends will reuse.
    func shrink(through gate: DatabaseGate) throws(StoreError) {
        try gate.read { database throws(SQLiteFailure) in
            if try database.pages.freeCount() > 1_024 { try database.vacuum(pageCount: 64) }
        }
    }

    /// Shrinks files that were created under a larger limit, in steps.
    ///
    /// Deletes the oldest tags of the owner furthest above its share, unless the policy forbids it, and returns free
    /// pages to the disk. While no shares are set, as at the opening, each owner has one.
    func shrinkToBound(through gate: DatabaseGate, sparing inFlight: InFlightTags) throws(StoreError) {
        while policy == .evictOldest,
            try gate.read({ database throws(SQLiteFailure) in
                try database.pages.usedCount() > budget.usablePageCount
            })
        {
            let known = shares.equalShares
            let equalShares = known.isEmpty ? [.nobody: 1] : known
            let count = try gate.transact { (database, ledger) throws(SQLiteFailure) -> Int64 in
                // The tags of quiet owners are the oldest after a flood, so the oldest ones of all must not go instead.
                try database.countUse(maximumRowCount: .max)
                let count = try deleteStep(in: database.tags, sharing: equalShares, sparing: inFlight)
                ledger.remove(count, as: \.evicted)
                return count
            }
            if count == 0 { break }
        }
        var isDone = false
        while !isDone {
            isDone = try gate.read { database throws(SQLiteFailure) in
                let count = try database.pages.allCount()
                guard count > budget.fencePageCount, try database.pages.freeCount() > 0 else { return true }
                try database.vacuum(pageCount: min(64, count - budget.fencePageCount))
                try database.checkpointInPlace()
                return false
            }
        }
        try gate.read { database throws(SQLiteFailure) in try disk.shrinkLog(of: database) }
    }
}

/// The share of a full buffer that each owner may use before its own oldest tags are evicted first.
final class OwnerShares: Sendable {
    /// As many as the owners that were set and are not removed.
    private let shares = Mutex<[TagOwner: Double]>([:])

    /// The number of equal shares per owner; 1 for owners that are not listed.
    ///
    /// Empty if no shares are set.
    var equalShares: [TagOwner: Double] { shares.withLock { $0 } }

    /// Sets the number of equal shares of an owner, at least 1.
    func set(_ count: Double, of owner: TagOwner) {
        shares.withLock { $0[owner] = max(1, count) }
    }

    /// Removes the shares of all other owners.
    func keep(_ owners: Set<TagOwner>) { shares.withLock { $0 = $0.filter { owners.contains($0.key) } } }
}
