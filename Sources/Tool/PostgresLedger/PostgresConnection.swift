import ByteReading
import CDTVRPostgres
import Glibc
import TextForms

/// A connection to a PostgreSQL server, closed at the end of its lifetime.
@safe final class PostgresConnection: @unchecked Sendable {
    // Sendable: the handle is set in init, and only one thread at a time uses the connection, which `Ledger` ensures.
    private let handle: OpaquePointer
    /// The names of the prepared statements, by their texts.
    private var statementNames: [String: String] = [:]
    /// The staging tables that this connection has created.
    var stagingTables: Set<String> = []

    /// The rows of a result as text, and the number of changed rows.
    struct Rows {
        var values: [[String?]] = []
        var changedCount = 0
    }

    /// The longest time for one statement of a batch, in milliseconds.
    private static let statementLimit = "15000"

    /// Connects, and prepares the session.
    init(_ address: LedgerAddress) throws(LedgerError) {
        // Parameters before the URI are defaults, which the URI may override.
        let parameters = [
            ("connect_timeout", "5"), ("keepalives_idle", "5"), ("keepalives_interval", "5"),
            ("keepalives_count", "3"), ("tcp_user_timeout", "15000"), ("fallback_application_name", "dtvr"),
            ("dbname", address.uri), ("client_encoding", "UTF8"),
        ]
        let connected = unsafe withCStrings(parameters.map(\.0)) { names in
            // The arrays and their texts are valid during the call, which copies them.
            unsafe withCStrings(parameters.map(\.1)) { values in
                unsafe PQconnectdbParams(names, values, 1)
            }
        }
        guard let connected = unsafe connected else { throw .failed("out of memory") }
        unsafe handle = connected
        guard unsafe PQstatus(handle) == CONNECTION_OK else {
            let message = connectionMessage
            // No SQLSTATE is available for a failed connection.
            let isRefused =
                unsafe PQconnectionNeedsPassword(handle) != 0 || PQconnectionUsedPassword(handle) != 0
            // `deinit` runs, because all properties are initialized.
            throw isRefused ? .notAuthenticated(message) : .unreachable(message)
        }
        unsafe dtvr_pq_ignore_notices(handle)
        try run(
            """
            SELECT set_config('search_path', 'pg_catalog', false), set_config('datestyle', 'ISO', false), \
            set_config('statement_timeout', $1, false), set_config('timezone', 'UTC', false), \
            set_config('idle_in_transaction_session_timeout', '60000', false)
            """, [Self.statementLimit])
        // A receipt means that the batch is durable.
        try run(
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
        )
    }

    deinit { unsafe PQfinish(handle) }

    /// Removes the time limit of statements, for maintenance.
    func removeTimeLimit() throws(LedgerError) {
        try run("SELECT set_config('statement_timeout', '0', false)")
    }

    /// Runs one statement.
    @discardableResult
    func run(_ text: String, _ parameters: [String?] = []) throws(LedgerError) -> Rows {
        // The texts are valid during the call.
        let result = unsafe withCStrings(parameters) { values in
            unsafe PQexecParams(handle, text, Int32(parameters.count), nil, values, nil, nil, 0)
        }
        return try unsafe rows(result)
    }

    /// Runs one statement that is prepared on its first use.
    @discardableResult
    func runPrepared(_ text: String, _ parameters: [String?] = []) throws(LedgerError) -> Rows {
        let name = statementNames[text] ?? "s\(statementNames.count)"
        if statementNames[text] == nil {
            _ = try unsafe rows(PQprepare(handle, name, text, Int32(parameters.count), nil))
            statementNames[text] = name
        }
        let result = unsafe withCStrings(parameters) { values in
            unsafe PQexecPrepared(handle, name, Int32(parameters.count), values, nil, nil, 0)
        }
        return try unsafe rows(result)
    }

    /// Runs a script of the package.
    func run(script: [UInt8]) throws(LedgerError) {
        _ = try unsafe rows(PQexec(handle, String(decoding: script, as: UTF8.self)))
    }

    /// Copies rows in the binary format into a table, and returns their number.
    @discardableResult
    func copy(_ statement: String, _ rows: [[UInt8]]) throws(LedgerError) -> Int {
        // The signature, no flags and no extension of the header; after the rows, the number of fields of the end.
        var bytes = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)
        bytes.reserveCapacity(rows.reduce(bytes.count + 2) { $0 + $1.count })
        for row in rows { bytes += row }
        bytes.append(bigEndian: Int16(-1))
        let started = unsafe PQexec(handle, statement)
        guard unsafe PQresultStatus(started) == PGRES_COPY_IN else {
            _ = try unsafe self.rows(started)
            throw .failed("COPY was not started")
        }
        unsafe PQclear(started)
        let isSent = unsafe bytes.withUnsafeBytes { buffer in
            // The bytes are valid during the call. A batch is far smaller than the largest Int32.
            unsafe PQputCopyData(
                handle, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: buffer.count)
            )
        }
        let isEnded = unsafe PQputCopyEnd(handle, nil) == 1
        var count = 0
        var failure: LedgerError?
        while let result = unsafe PQgetResult(handle) {
            do throws(LedgerError) {
                count += try unsafe self.rows(result).changedCount
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        guard isSent == 1, isEnded else { throw .unreachable(connectionMessage) }
        return count
    }

    private func rows(_ result: OpaquePointer?) throws(LedgerError) -> Rows {
        guard let result = unsafe result else { throw .unreachable(connectionMessage) }
        // The result is valid until the end of the function, and so are the texts that libpq returns of it.
        defer { unsafe PQclear(result) }
        let status = unsafe PQresultStatus(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else { throw unsafe error(result) }
        var rows = Rows()
        let columnCount = unsafe PQnfields(result)
        for row in 0..<(unsafe PQntuples(result)) {
            rows.values.append(
                (0..<columnCount).map { column in
                    unsafe PQgetisnull(result, row, column) != 0
                        ? nil : String(cString: PQgetvalue(result, row, column))
                })
        }
        if let text = unsafe PQcmdTuples(result) {
            rows.changedCount = unsafe Int(String(cString: text)) ?? 0
        }
        return rows
    }

    private func error(_ result: OpaquePointer) -> LedgerError {
        guard unsafe PQstatus(handle) == CONNECTION_OK, let state = unsafe dtvr_pq_state(result) else {
            return .unreachable(connectionMessage)
        }
        let message = unsafe dtvr_pq_message(result).map { unsafe String(cString: $0) } ?? ""
        return unsafe LedgerError(state: String(cString: state), message: Self.oneLine(message))
    }

    /// The last error of the connection.
    private var connectionMessage: String {
        // libpq owns the text, which is valid until the next call.
        unsafe PQerrorMessage(handle).map { unsafe Self.oneLine(String(cString: $0)) } ?? ""
    }

    private static func oneLine(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).map { $0.trimmed }.joined(separator: "; ")
        return PrintableText.of(String(line.prefix(300)))
    }
}

/// Calls `body` with the texts as C strings; nil is a null pointer, and the array ends with one.
private func withCStrings<Result>(
    _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
    let copies = unsafe texts.map { text in unsafe text.flatMap { unsafe strdup($0) } } + [nil]
    // The copies are valid until they are freed here.
    defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
    let pointers = unsafe copies.map { unsafe UnsafePointer($0) }
    return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
}
