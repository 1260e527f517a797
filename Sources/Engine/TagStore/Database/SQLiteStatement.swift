internal import ByteReading
internal import CDTVRSQLite

/// A prepared statement, finalized at the end of its lifetime.
@safe struct SQLiteStatement: ~Copyable {
    private let handle: OpaquePointer

    @unsafe init(owning handle: OpaquePointer) { unsafe self.handle = handle }

    deinit {
        // Only this value owns the handle. Here and below, the statement is prepared and not yet finalized.
        unsafe sqlite3_finalize(handle)
    }

    borrowing func bind(_ value: Int64, at index: Int32) throws(SQLiteFailure) {
        try check(unsafe sqlite3_bind_int64(handle, index, value))
    }

    /// Binds a copy of the bytes.
    borrowing func bind(_ bytes: Span<UInt8>, at index: Int32) throws(SQLiteFailure) {
        let code = unsafe bytes.withUnsafeBufferPointer { buffer in
            // SQLite copies the bytes before it returns. A null address would bind NULL, so an empty blob is bound as a
            // zero-length one.
            guard let address = buffer.baseAddress else {
                return unsafe sqlite3_bind_zeroblob(handle, index, 0)
            }
            return unsafe dtvr_sqlite3_bind_blob_transient(handle, index, address, Int32(buffer.count))
        }
        try check(code)
    }

    /// Binds bytes without a copy.
    ///
    /// The bytes must stay valid and in place until the statement has run and `forgetBindings()` was called.
    @unsafe borrowing func lend(_ bytes: Span<UInt8>, at index: Int32) throws(SQLiteFailure) {
        let code = unsafe bytes.withUnsafeBufferPointer { buffer in
            // See above for an empty blob. The caller keeps the bytes valid.
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
        // SQLite copies the text before the call returns.
        try check(unsafe dtvr_sqlite3_bind_text_transient(handle, index, text, Int32(text.utf8.count)))
    }

    /// Advances to the next row and returns whether there is one.
    ///
    /// At the end and after a failure, the statement is reset and can run again.
    borrowing func step() throws(SQLiteFailure) -> Bool {
        let code = unsafe sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE {
            reset()
            return false
        }
        let connection = unsafe sqlite3_db_handle(handle)
        let failure = unsafe SQLiteFailure(code: code, of: connection)
        reset()
        throw failure
    }

    /// Runs the statement to completion.
    borrowing func finish() throws(SQLiteFailure) {
        while try step() {}
    }

    /// Runs the statement to completion and returns the number of rows that it changed.
    borrowing func finishChanging() throws(SQLiteFailure) -> Int64 {
        try finish()
        return unsafe sqlite3_changes64(sqlite3_db_handle(handle))
    }

    /// Runs a query without parameters and returns its number, or 0 if there is no row.
    borrowing func number() throws(SQLiteFailure) -> Int64 {
        guard try step() else { return 0 }
        let number = integer(at: 0)
        reset()
        return number
    }

    /// Resets the statement, which releases its rows and their read lock.
    borrowing func reset() {
        // The return value repeats the error of the last step, which was already thrown.
        _ = unsafe sqlite3_reset(handle)
    }

    borrowing func integer(at column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    borrowing func text(at column: Int32) -> String {
        // The row owns the text; it is copied immediately.
        guard let text = unsafe sqlite3_column_text(handle, column) else { return "" }
        return unsafe String(cString: text)
    }

    /// Calls a closure with the bytes of a blob, which are valid until the next step.
    borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        at column: Int32, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let address = unsafe sqlite3_column_blob(handle, column)
        let count = Int(unsafe sqlite3_column_bytes(handle, column))
        // SQLite keeps `count` bytes at the address until the next step, which cannot happen inside the closure.
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
