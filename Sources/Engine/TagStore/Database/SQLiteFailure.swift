internal import CDTVRSQLite
internal import HostSystem

/// What SQLite answered where it did not do what it was asked to.
struct SQLiteFailure: Error, Sendable, Hashable {
    /// The extended result code.
    let code: Int32
    let message: String

    /// A failure of SQLite.
    init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    /// Damage that SQLite itself did not take for that.
    init(damage message: String) { self.init(code: SQLITE_CORRUPT, message: message) }

    /// A failure of the operating system beside SQLite.
    init(system error: SystemError) { self.init(code: SQLITE_IOERR, message: error.description) }

    private var primary: Int32 { code & 0xFF }

    /// Whether the disk has no room, or the fence inside the database was met.
    var isDiskFull: Bool { primary == SQLITE_FULL }
    var isDamage: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }
    var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }
    /// Whether the operating system failed a reading, a writing or a sync.
    var isSystemFailure: Bool { primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN }
    var isReadOnly: Bool { primary == SQLITE_READONLY || primary == SQLITE_PERM || primary == SQLITE_AUTH }

    var storeError: StoreError {
        isBusy ? .inUse(pid: nil) : .database(code: code, message: message)
    }
}
