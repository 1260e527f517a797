/// How much of the disk the tags may take: the bound, eviction at the bound, and what helps on a full disk.
///
/// Used on the buffer's thread only.
final class Space {
    private let budget: StoreBudget
    private let policy: StoreSettings.FullPolicy
    private let reserve: ReserveFile
    /// The pages that the database may use while the disk has no room for more; nil while it has.
    private var heldPageCount: Int?

    init(_ budget: StoreBudget, policy: StoreSettings.FullPolicy, reserve: ReserveFile) {
        self.budget = budget
        self.policy = policy
        self.reserve = reserve
    }

    /// Whether the disk has no room for the buffer to grow to its bound.
    var isDiskFull: Bool { heldPageCount != nil }

    /// Whether it is the disk that is full, not the buffer, when rows find no room.
    var isDiskToBlame: Bool { isDiskFull && policy == .evictOldest }

    // MARK: In the database

    /// Deletes the oldest tags, step by step, until so many rows fit; false where the policy forbids it, or nothing is
    /// left to delete.
    func makeRoom(
        forRows rowCount: Int, byteCount: Int, in database: TagDatabase, sparing inFlight: InFlightTags,
        _ ledger: inout Ledger
    ) throws(SQLiteFailure) -> Bool {
        let needed = budget.pageCount(ofRows: rowCount, byteCount: byteCount)
        let usable = min(heldPageCount ?? .max, budget.usablePageCount)
        while try !database.pages.hasRoom(forPages: needed, within: usable) {
            guard policy == .evictOldest else { return false }
            let count = try deleteOldest(in: database.tags, sparing: inFlight)
            guard count > 0 else { return false }
            ledger.remove(count, as: \.evicted)
        }
        return true
    }

    /// Deletes a step of the oldest tags that are not in flight; those that are only where no others are left.
    private func deleteOldest(
        in tags: TagTable, sparing inFlight: InFlightTags
    ) throws(SQLiteFailure) -> Int64 {
        for range in inFlight.others(in: 0...Int64.max) {
            let deleted = try tags.deleteOldest(StoreBudget.deletionStep, in: range)
            if deleted > 0 { return deleted }
        }
        return try tags.deleteOldest(StoreBudget.deletionStep, in: 0...Int64.max)
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

    // MARK: On the disk

    /// Gives the reserve to the log, and holds the database to the pages it has.
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
        try database.checkpoint()
        heldPageCount = try database.pages.allCount()
        restoreReserve()
        return database
    }

    /// Takes the reserve's room again where the disk has it, and lets the database grow again.
    func restoreReserve() {
        if reserve.restore(leaving: budget.walByteCount) { heldPageCount = nil }
    }
}
