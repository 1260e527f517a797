import ByteReading
internal import CDTVRSQLite

/// A refusal of SQLite, as the one gate gives it on.
struct SQLiteFailure: Error, Sendable, Hashable {
    /// The extended result code.
    let code: Int32
    let message: String

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

    /// How many rows the last statement changed.
    var changeCount: Int64 { unsafe sqlite3_changes64(handle) }

    /// Whether no transaction is open.
    var isAutocommit: Bool { unsafe sqlite3_get_autocommit(handle) != 0 }

    private borrowing func failure(_ code: Int32) -> SQLiteFailure {
        // The message belongs to the connection and is copied before the next call.
        let message = unsafe sqlite3_errmsg(handle).map { unsafe String(cString: $0) } ?? ""
        return SQLiteFailure(code: code, message: message)
    }
}

/// A prepared statement, finalised when its owner goes.
@safe struct SQLiteStatement: ~Copyable {
    private let handle: OpaquePointer

    @unsafe init(owning handle: OpaquePointer) { unsafe self.handle = handle }

    deinit {
        // The owner of the handle is this value alone; here and below it is prepared and not yet finalised.
        unsafe sqlite3_finalize(handle)
    }

    borrowing func bind(_ value: Int64, at index: Int32) throws(SQLiteFailure) {
        try check(unsafe sqlite3_bind_int64(handle, index, value))
    }

    /// Binds a copy of the bytes.
    borrowing func bind(_ bytes: Span<UInt8>, at index: Int32) throws(SQLiteFailure) {
        let code = unsafe bytes.withUnsafeBufferPointer { buffer in
            // SQLite copies the bytes before it returns; a null address would bind NULL, so an empty blob is
            // bound as one of no bytes.
            guard let address = buffer.baseAddress else {
                return unsafe sqlite3_bind_zeroblob(handle, index, 0)
            }
            return unsafe dtvr_sqlite3_bind_blob_transient(handle, index, address, Int32(buffer.count))
        }
        try check(code)
    }

    /// Binds bytes where they are, without a copy.
    ///
    /// They must stay where they are until the statement has run and `forgetBindings()` was called.
    @unsafe borrowing func lend(_ bytes: Span<UInt8>, at index: Int32) throws(SQLiteFailure) {
        let code = unsafe bytes.withUnsafeBufferPointer { buffer in
            // As above for an empty blob; the caller keeps the rest of the bargain.
            guard let address = buffer.baseAddress else {
                return unsafe sqlite3_bind_zeroblob(handle, index, 0)
            }
            return unsafe dtvr_sqlite3_bind_blob_static(handle, index, address, Int32(buffer.count))
        }
        try check(code)
    }

    /// Sets every parameter to NULL.
    borrowing func forgetBindings() {
        unsafe sqlite3_clear_bindings(handle)
    }

    borrowing func bind(_ text: String, at index: Int32) throws(SQLiteFailure) {
        // Copied before the call returns.
        try check(unsafe dtvr_sqlite3_bind_text_transient(handle, index, text, Int32(text.utf8.count)))
    }

    /// Whether there is a row; at the end, and at a failure, the statement is ready to run again.
    borrowing func step() throws(SQLiteFailure) -> Bool {
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE {
            reset()
            return false
        }
        let connection = unsafe sqlite3_db_handle(handle)
        let message = unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) } ?? ""
        reset()
        throw SQLiteFailure(code: code, message: message)
    }

    /// Runs a statement to its end.
    borrowing func finish() throws(SQLiteFailure) {
        while try step() {}
    }

    /// Lets go of the rows, and of the read lock that they hold.
    borrowing func reset() {
        // Repeats the error of the last step, which was thrown then.
        _ = unsafe sqlite3_reset(handle)
    }

    borrowing func integer(at column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    borrowing func isNull(at column: Int32) -> Bool {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    borrowing func text(at column: Int32) -> String {
        // The text belongs to the row and is copied at once.
        guard let text = unsafe sqlite3_column_text(handle, column) else { return "" }
        return unsafe String(cString: text)
    }

    /// Lends the bytes of a blob; they are the row's, and gone with the next step.
    borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        at column: Int32, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let address = unsafe sqlite3_column_blob(handle, column)
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        // SQLite keeps `count` bytes at the address until the next step, which the closure cannot take.
        let buffer = unsafe UnsafeRawBufferPointer(start: address, count: address == nil ? 0 : count)
        return try unsafe body(buffer.bindMemory(to: UInt8.self).span)
    }

    borrowing func blob(at column: Int32) -> [UInt8] {
        withBytes(at: column) { $0.copy() }
    }

    private borrowing func check(_ code: Int32) throws(SQLiteFailure) {
        guard code == SQLITE_OK else { throw SQLiteFailure(code: code, message: "bind") }
    }
}
