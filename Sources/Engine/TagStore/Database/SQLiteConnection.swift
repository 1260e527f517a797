internal import CDTVRSQLite

/// A connection to a database, closed when its owner goes.
@safe struct SQLiteConnection: ~Copyable {
    private let handle: OpaquePointer

    init(path: String) throws(SQLiteFailure) {
        var opened: OpaquePointer?
        // One thread at a time uses the connection and everything made with it, and hands it on under a lock of
        // ours, so SQLite need not lock ("multi-thread" in its terms). Path and address are lent for the call.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened = unsafe opened else {
            let failure = SQLiteFailure(code: code, message: "open")
            // A failed opening leaves a handle too, and it must be closed.
            unsafe sqlite3_close_v2(opened)
            throw failure
        }
        unsafe handle = opened
        // The handle is open from here to `deinit`, here and in every call below.
        unsafe sqlite3_extended_result_codes(handle, 1)
        var isOn: Int32 = 1
        // Closing leaves the log its bytes. The number is read before the call returns.
        unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &isOn)
    }

    deinit {
        // Statements that outlive the connection keep it alive until they are finalised.
        unsafe sqlite3_close_v2(handle)
    }

    borrowing func prepare(_ text: String) throws(SQLiteFailure) -> SQLiteStatement {
        var prepared: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = unsafe sqlite3_prepare_v3(handle, text, -1, flags, &prepared, nil)
        guard code == SQLITE_OK, let prepared = unsafe prepared else { throw failure(code) }
        return unsafe SQLiteStatement(owning: prepared)
    }

    /// Runs a statement of no parameters, and gives the first column of each row as text.
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
        // The message belongs to the connection and is copied before the next call.
        let message = unsafe sqlite3_errmsg(handle).map { unsafe String(cString: $0) } ?? ""
        return SQLiteFailure(code: code, message: message)
    }
}
