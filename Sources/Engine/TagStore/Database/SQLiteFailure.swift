internal import CDTVRSQLite
import Glibc
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
    init(system error: SystemError) {
        let code =
            switch error.code {
            case EACCES, EPERM, EROFS: SQLITE_READONLY
            case ENOSPC, EDQUOT: SQLITE_FULL
            default: SQLITE_IOERR
            }
        self.init(code: code, message: error.description)
    }

    private var primary: Int32 { code & 0xFF }

    /// Whether the disk has no room, or the fence inside the database was met.
    var isDiskFull: Bool { primary == SQLITE_FULL }
    /// Whether the file is damaged: what SQLite makes of damage depends on where it strikes, and every statement of ours is
    /// valid on an intact database.
    var isDamage: Bool {
        switch primary {
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_SCHEMA,
            SQLITE_FORMAT, SQLITE_INTERNAL, SQLITE_TOOBIG, SQLITE_RANGE, SQLITE_MISUSE, SQLITE_NOTFOUND,
            SQLITE_EMPTY:
            true
        default: false
        }
    }
    var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }
    /// Whether the operating system failed a reading, a writing or a sync.
    var isSystemFailure: Bool { primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN }
    var isReadOnly: Bool { primary == SQLITE_READONLY || primary == SQLITE_PERM || primary == SQLITE_AUTH }

    var storeError: StoreError {
        isBusy ? .inUse(pid: nil) : .database(code: code, message: message)
    }
}
