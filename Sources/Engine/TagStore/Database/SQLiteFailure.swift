internal import CDTVRSQLite
import Glibc
internal import HostSystem

/// An error from SQLite.
struct SQLiteFailure: Error, Sendable, Hashable {
    /// The extended result code.
    let code: Int32
    let message: String

    /// Creates a failure with a result code of SQLite.
    init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    /// Creates a failure of the last call on a connection, with the cause in the operating system if there is one.
    init(code: Int32, of connection: OpaquePointer?) {
        // SQLite owns the message; it is copied before the next call.
        let message = unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) } ?? ""
        let systemCode = unsafe sqlite3_system_errno(connection)
        let failure = SQLiteFailure(code: code, message: message)
        guard failure.isSystemFailure, systemCode != 0 else {
            self = failure
            return
        }
        self.init(
            code: code, message: "\(message): \(SystemError(operation: "", code: systemCode).reason)")
    }

    /// Creates a failure for damage that SQLite did not report itself.
    init(damage message: String) { self.init(code: SQLITE_CORRUPT, message: message) }

    /// Creates a failure for a system call outside SQLite, with the corresponding result code.
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

    /// Whether the disk is full or the database reached `max_page_count`.
    var isDiskFull: Bool { primary == SQLITE_FULL }
    /// Whether the file is damaged.
    ///
    /// The result code for damage depends on its location. Every statement in this library is valid on an intact
    /// database, so codes such as `SQLITE_ERROR` mean damage too.
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
    /// Whether a read, a write, a sync or an open failed in the operating system.
    var isSystemFailure: Bool { primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN }
    var isReadOnly: Bool { primary == SQLITE_READONLY || primary == SQLITE_PERM || primary == SQLITE_AUTH }

    var storeError: StoreError {
        isBusy ? .inUse(pid: nil) : .database(code: code, message: message)
    }
}

extension StoreError {
    /// Whether the disk is full.
    var isDiskFull: Bool {
        if case .database(let code, let message) = self {
            SQLiteFailure(code: code, message: message).isDiskFull
        } else {
            false
        }
    }
}
