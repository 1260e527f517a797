internal import ByteReading
internal import CDTVRSQLite

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

    /// Runs a statement to its end, and says how many rows it changed.
    borrowing func finishChanging() throws(SQLiteFailure) -> Int64 {
        try finish()
        return unsafe sqlite3_changes64(sqlite3_db_handle(handle))
    }

    /// The number that a query without parameters answers with; 0 where it answers with nothing.
    borrowing func number() throws(SQLiteFailure) -> Int64 {
        guard try step() else { return 0 }
        let number = integer(at: 0)
        reset()
        return number
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
