internal import HostSystem

/// The space of a buffer on the disk: its log, its reserve, and the page limit of the database on a full disk.
///
/// A full disk blocks a database in WAL mode, because even a deletion needs space in the log. The reserve is a file
/// that is emptied then: its space is enough for a checkpoint and for the steps that make room inside the database.
///
/// Used only on the buffer's thread.
final class DiskSpace {
    private let budget: StoreBudget
    private let folder: StoreFolder
    /// The page limit of the database while the disk has no space for growth; nil otherwise.
    private var heldPageCount: Int?

    init(_ budget: StoreBudget, folder: StoreFolder) {
        self.budget = budget
        self.folder = folder
    }

    /// Whether the disk has no space for the buffer to grow to its limit.
    var isFull: Bool { heldPageCount != nil }

    /// The pages in use at which the oldest tags are evicted.
    var usablePageCount: Int { min(heldPageCount ?? .max, budget.usablePageCount) }

    // MARK: The log

    /// Allocates the log while the disk has space, so that a commit needs no additional space.
    func prepareLog() {
        guard FileSystem.byteCount(of: folder.writeAheadLog) ?? 0 < budget.walByteCount else { return }
        if allocateLog() { return }
        // The log takes precedence: without it, even deletions fail.
        freeReserveFile()
        _ = allocateLog()
    }

    /// Invalidates a log that is completely in the database, but keeps its size.
    ///
    /// A restored copy of the database must not find a log that is newer or older than itself.
    func emptyLog() {
        do throws(SystemError) {
            let file = try FileDescriptor(
                path: folder.writeAheadLog, options: [.readingAndWriting, .noFollow])
            try file.write([UInt8](repeating: 0, count: LogFrames.headerByteCount).span, at: 0)
        } catch {
            // The database contains all of its frames.
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

    /// Checkpoints and truncates a log above its limit.
    func shrinkLog(of database: TagDatabase) throws(SQLiteFailure) {
        guard FileSystem.byteCount(of: folder.writeAheadLog) ?? 0 > budget.walByteCount else { return }
        try database.checkpoint()
        prepareLog()
    }

    // MARK: The reserve

    /// Frees the reserve, checkpoints the log into the database, and limits the database to its current pages.
    ///
    /// The connection stays open: a new one would need a new log, and the disk may have no space for it.
    func freeReserve(for database: TagDatabase?) {
        freeReserveFile()
        do throws(SQLiteFailure) {
            try database?.checkpointInPlace()
            heldPageCount = try database?.pages.allCount()
        } catch {
            // The retried operation fails for the same reason and reports it.
        }
    }

    /// Frees the reserve and opens the database.
    func openWithReserve(
        _ open: () throws(SQLiteFailure) -> TagDatabase
    ) throws(SQLiteFailure) -> TagDatabase {
        freeReserveFile()
        let database = try open()
        prepareLog()
        try database.checkpointInPlace()
        restoreReserve(for: database)
        return database
    }

    /// Allocates the reserve again if the disk has space for it.
    ///
    /// Without a reserve, the database is limited to its current pages. With a reserve and enough free space for the
    /// log's pages, the limit is lifted.
    func restoreReserve(for database: TagDatabase?) {
        guard restoreReserveFile() else {
            if heldPageCount == nil { hold(database) }
            return
        }
        let available = FileSystem.availableByteCount(at: folder.database) ?? .max
        if available >= budget.walByteCount { heldPageCount = nil }
    }

    /// Returns whether a database with a temporary page limit may grow again.
    func growsAgain(_ database: TagDatabase) -> Bool {
        guard isFull else { return false }
        restoreReserve(for: database)
        return !isFull
    }

    private func hold(_ database: TagDatabase?) {
        do throws(SQLiteFailure) {
            heldPageCount = try database?.pages.allCount()
        } catch {
            // The next use of the database fails too and reports it.
        }
    }

    /// Allocates the file of the reserve; returns false without using any space if the disk has too little.
    private func restoreReserveFile() -> Bool {
        let (path, byteCount) = (folder.reserve, budget.reserveByteCount)
        let held = FileSystem.byteCount(of: path) ?? 0
        if held == byteCount { return true }
        guard let available = FileSystem.availableByteCount(at: path), available + held >= byteCount else {
            return false
        }
        do throws(SystemError) {
            let file = try FileDescriptor(path: path, options: [.readingAndWriting, .create, .noFollow])
            do throws(SystemError) {
                try file.truncate(to: 0)
                try file.allocate(byteCount)
                return true
            } catch {
                try file.truncate(to: 0)
                return false
            }
        } catch {
            return false
        }
    }

    private func freeReserveFile() {
        do throws(SystemError) {
            try FileDescriptor(path: folder.reserve, options: [.readingAndWriting, .noFollow]).truncate(to: 0)
        } catch {
            // There is no space to free.
        }
    }
}
