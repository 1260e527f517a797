internal import HostSystem

/// How much of the disk the tags may take: the bound, eviction at the bound, and what helps on a full disk.
///
/// Used on the buffer's thread only.
final class Space {
    private let budget: StoreBudget
    private let policy: StoreSettings.FullPolicy
    private let shares: OwnerShares
    private let reserve: ReserveFile
    private let folder: StoreFolder
    /// The pages that the database may use while the disk has no room for more; nil while it has.
    private var heldPageCount: Int?

    init(
        _ budget: StoreBudget, policy: StoreSettings.FullPolicy, shares: OwnerShares, folder: StoreFolder
    ) {
        self.budget = budget
        self.policy = policy
        self.shares = shares
        self.folder = folder
        reserve = ReserveFile(path: folder.reserve, byteCount: budget.reserveByteCount)
    }

    /// Whether the disk has no room for the buffer to grow to its bound.
    var isDiskFull: Bool { heldPageCount != nil }

    /// Whether it is the disk that is full, not the buffer, when rows find no room.
    var isDiskToBlame: Bool { isDiskFull && policy == .evictOldest }

    // MARK: In the database

    /// How many rows are counted between two steps, to know who has how much.
    private static let countingStep = 100_000

    /// Where so many rows do not fit, deletes the oldest tags of the owner that is furthest above its share, step by step, each
    /// a transaction of its own; until they fit, or none is above its share.
    func takeFromAboveShare(
        forRows rowCount: Int, byteCount: Int, through gate: DatabaseGate, sparing inFlight: InFlightTags
    ) throws(StoreError) {
        let equalShares = shares.equalShares
        guard policy == .evictOldest, !equalShares.isEmpty else { return }
        let needed = budget.pageCount(ofRows: rowCount, byteCount: byteCount)
        while true {
            let above = try gate.read { database throws(SQLiteFailure) -> TagOwner? in
                let usable = min(heldPageCount ?? .max, budget.usablePageCount)
                guard try database.pages.lacksRoom(forPages: needed, within: usable) else { return nil }
                try database.tags.countUse(maximumRowCount: Self.countingStep)
                return database.tags.use?.furthestAboveShare(equalShares)
            }
            guard let above else { return }
            let count = try gate.transact { (database, ledger) throws(SQLiteFailure) -> Int64 in
                let count = try database.tags.deleteOldest(
                    of: above, in: inFlight.others(in: 0...Int64.max))
                ledger.remove(count, as: \.evicted)
                return count
            }
            if count == 0 { return }
            gate.noteLosing(above)
        }
    }

    /// Deletes the oldest tags, step by step, until so many rows fit; false where the policy forbids it, or nothing is
    /// left to delete.
    func makeRoom(
        forRows rowCount: Int, byteCount: Int, in database: TagDatabase, sparing inFlight: InFlightTags,
        _ ledger: inout Ledger
    ) throws(SQLiteFailure) -> Bool {
        let needed = budget.pageCount(ofRows: rowCount, byteCount: byteCount)
        let usable = min(heldPageCount ?? .max, budget.usablePageCount)
        while try !database.pages.hasRoom(forPages: needed, within: usable) {
            var count: Int64 = 0
            if policy == .evictOldest { count = try deleteOldest(in: database.tags, sparing: inFlight) }
            if count == 0 {
                guard growsAgain(database) else { return false }
                return try database.pages.hasRoom(forPages: needed, within: budget.usablePageCount)
            }
            ledger.remove(count, as: \.evicted)
        }
        return true
    }

    /// Whether a database that was held to its pages may grow now.
    private func growsAgain(_ database: TagDatabase) -> Bool {
        guard isDiskFull else { return false }
        restoreReserve(for: database)
        return !isDiskFull
    }

    /// Deletes a step of the oldest tags that are not in flight; those that are only where no others are left.
    private func deleteOldest(
        in tags: TagTable, sparing inFlight: InFlightTags
    ) throws(SQLiteFailure) -> Int64 {
        for range in inFlight.others(in: 0...Int64.max) {
            let deleted = try tags.deleteOldest(in: range)
            if deleted > 0 { return deleted }
        }
        return try tags.deleteOldest(in: 0...Int64.max)
    }

    /// Keeps the dead letters within their bound; those that go were counted when they came.
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

    /// Gives unused pages back to the disk: only what is far above what the next appends will use again, and a little
    /// at a time.
    func shrink(_ database: TagDatabase) throws(SQLiteFailure) {
        if try database.pages.freeCount() > 1_024 { try database.vacuum(pageCount: 64) }
    }

    /// Brings the files of an earlier, larger bound within this one, in steps: the oldest tags go, unless the policy is
    /// against it, and what is free goes back to the disk.
    func shrinkToBound(through gate: DatabaseGate, sparing inFlight: InFlightTags) throws(StoreError) {
        while policy == .evictOldest,
            try gate.read({ database throws(SQLiteFailure) in
                try database.pages.usedCount() > budget.usablePageCount
            })
        {
            let count = try gate.transact { (database, ledger) throws(SQLiteFailure) -> Int64 in
                let count = try deleteOldest(in: database.tags, sparing: inFlight)
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
        try gate.read { database throws(SQLiteFailure) in
            guard FileSystem.byteCount(of: folder.writeAheadLog) ?? 0 > budget.walByteCount else { return }
            try database.checkpoint()
            prepareLog()
        }
    }

    // MARK: On the disk

    /// Has the log take its bytes while there are some: then a commit needs none of the disk.
    func prepareLog() {
        guard FileSystem.byteCount(of: folder.writeAheadLog) ?? 0 < budget.walByteCount else { return }
        if allocateLog() { return }
        // The log comes first: without it not even a deletion is possible.
        reserve.free()
        _ = allocateLog()
    }

    /// Has a log that is in the database count no longer, and keep its bytes: a copy of the database that was brought back
    /// must not find what is newer or older than itself.
    func emptyLog() {
        do throws(SystemError) {
            let file = try FileDescriptor(
                path: folder.writeAheadLog, options: [.readingAndWriting, .noFollow])
            try file.write([UInt8](repeating: 0, count: LogFrames.headerByteCount).span, at: 0)
        } catch {
            // What it has is in the database too.
        }
    }

    private func allocateLog() -> Bool {
        do throws(SystemError) {
            let file = try FileDescriptor(
                path: folder.writeAheadLog, options: [.readingAndWriting, .create, .noFollow])
            try file.allocate(budget.walByteCount)
            return true
        } catch {
            return false
        }
    }

    /// Gives the reserve to the database for what the log still has, and holds it to the pages that it has then.
    ///
    /// The connection stays open: a new one would need a new log, for which there may be no room.
    func freeReserve(for database: TagDatabase?) {
        reserve.free()
        do throws(SQLiteFailure) {
            try database?.checkpointInPlace()
            heldPageCount = try database?.pages.allCount()
        } catch {
            // What is retried now will fail for the same reason, and is answered for there.
        }
    }

    /// Opens the database with the room that the reserve held.
    func openWithReserve(
        _ open: () throws(SQLiteFailure) -> TagDatabase
    ) throws(SQLiteFailure) -> TagDatabase {
        reserve.free()
        let database = try open()
        prepareLog()
        try database.checkpointInPlace()
        restoreReserve(for: database)
        return database
    }

    /// Takes the reserve's room again where the disk has it.
    ///
    /// Without a reserve the database is held to the pages that it has; with one, and room for the log's pages beside it, it
    /// grows again.
    func restoreReserve(for database: TagDatabase?) {
        guard reserve.restore() else {
            if heldPageCount == nil { hold(database) }
            return
        }
        let available = FileSystem.availableByteCount(at: folder.database) ?? .max
        if available >= budget.walByteCount { heldPageCount = nil }
    }

    private func hold(_ database: TagDatabase?) {
        do throws(SQLiteFailure) {
            heldPageCount = try database?.pages.allCount()
        } catch {
            // Whoever uses the database next meets the failure too.
        }
    }
}
