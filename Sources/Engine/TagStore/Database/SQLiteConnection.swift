internal import CDTVRSQLite

/// A database connection, closed at the end of its lifetime.
@safe struct SQLiteConnection: ~Copyable {
    private let handle: OpaquePointer

    init(path: String) throws(SQLiteFailure) {
        var opened: OpaquePointer?
        // Only one thread at a time uses the connection and its statements, and handing over is synchronized by our own
        // lock. So SQLite does not need its mutexes ("multi-thread" mode). The path and the address are valid during
        // the call.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened = unsafe opened else {
            let failure = unsafe SQLiteFailure(code: code, of: opened)
            // A failed open also returns a handle, which must be closed.
            unsafe sqlite3_close_v2(opened)
            throw failure
        }
        unsafe handle = opened
        // The handle is valid until `deinit`, for this call and all calls below.
        unsafe sqlite3_extended_result_codes(handle, 1)
        var isOn: Int32 = 1
        // Closing keeps the log file and its size. SQLite reads the number before the call returns.
        unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isOn)
    }

    deinit {
        // Statements that outlive the connection keep it alive until they are finalized.
        unsafe sqlite3_close_v2(handle)
    }

    borrowing func prepare(_ text: String) throws(SQLiteFailure) -> SQLiteStatement {
        var prepared: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = unsafe sqlite3_prepare_v3(handle, text, -1, flags, &prepared, nil)
        guard code == SQLITE_OK, let prepared = unsafe prepared else { throw failure(code) }
        return unsafe SQLiteStatement(owning: prepared)
    }

    /// Runs a statement without parameters and returns the first column of each row as text.
    @discardableResult
    borrowing func run(_ text: String, maximumRowCount: Int = 32) throws(SQLiteFailure) -> [String] {
        let statement = try prepare(text)
        var rows: [String] = []
        while try statement.step() {
            if rows.count < maximumRowCount { rows.append(statement.text(at: 0)) }
        }
        return rows
    }

    /// Whether no transaction is open.
    var isAutocommit: Bool { unsafe sqlite3_get_autocommit(handle) != 0 }

    private borrowing func failure(_ code: Int32) -> SQLiteFailure {
        unsafe SQLiteFailure(code: code, of: handle)
    }
}
