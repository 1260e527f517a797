import ByteReading
import CDTVRPostgres
import Glibc
import HostSystem
import Synchronization
import TextForms

/// A connection to a PostgreSQL server, closed at the end of its lifetime.
///
/// libpq never blocks after the connection is established: each answer has a time limit, because a server that is
/// paused acknowledges bytes and never answers.
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

    /// The limits of the waits.
    struct Limits: Sendable {
        /// The time until the server cancels a statement.
        var statement = Duration.seconds(15)
        /// The time until a statement fails without an answer; nil for none.
        var answer: Duration? = .seconds(20)
        /// Whether to end all waits.
        var isInterrupted: @Sendable () -> Bool = { false }
    }

    /// The limits of the waits.
    private var limits: Limits
    /// The time at which all waits end; nil for none.
    var deadline: ContinuousClock.Instant?

    /// Connects, and prepares the session.
    init(_ address: LedgerAddress, limits: Limits = Limits()) throws(LedgerError) {
        self.limits = limits
        // Parameters before the URI are defaults, which the URI may override.
        let parameters = [
            ("connect_timeout", "5"), ("keepalives_idle", "5"), ("keepalives_interval", "5"),
            ("keepalives_count", "3"), ("tcp_user_timeout", "15000"), ("fallback_application_name", "dtvr"),
            ("dbname", address.uri), ("client_encoding", "UTF8"),
        ]
        let connected = unsafe withCStrings(parameters.map(\.0)) { names in
            // The arrays and their texts are valid during the call, which copies them.
            unsafe withCStrings(parameters.map(\.1)) { values in
                unsafe dtvr_PQconnectdbParams(names, values, 1)
            }
        }
        guard let connected = unsafe connected else { throw .failed("out of memory") }
        unsafe handle = connected
        guard unsafe dtvr_PQstatus(handle) == CONNECTION_OK else {
            let message = connectionMessage
            // No SQLSTATE is available for a failed connection.
            let isRefused =
                unsafe dtvr_PQconnectionNeedsPassword(handle) != 0
                || dtvr_PQconnectionUsedPassword(handle) != 0
            // `deinit` runs, because all properties are initialized.
            throw isRefused ? .notAuthenticated(message) : .unreachable(message)
        }
        unsafe dtvr_pq_ignore_notices(handle)
        unsafe dtvr_PQsetnonblocking(handle, 1)
        try run(
            """
            SELECT set_config('search_path', 'pg_catalog', false), set_config('datestyle', 'ISO', false), \
            set_config('statement_timeout', $1, false), set_config('timezone', 'UTC', false), \
            set_config('idle_in_transaction_session_timeout', '60000', false)
            """, [String(Int(limits.statement / .milliseconds(1)))])
        // A receipt means that the batch is durable.
        try run(
            "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
        )
    }

    deinit { unsafe dtvr_PQfinish(handle) }

    /// Removes the time limits of statements, for maintenance.
    func removeTimeLimit() throws(LedgerError) {
        limits.answer = nil
        try run("SELECT set_config('statement_timeout', '0', false)")
    }

    // MARK: Statements

    /// Runs one statement.
    @discardableResult
    func run(_ text: String, _ parameters: [String?] = []) throws(LedgerError) -> Rows {
        // The texts are valid during the call, which copies them.
        let isSent = unsafe withCStrings(parameters) { values in
            unsafe dtvr_PQsendQueryParams(handle, text, Int32(parameters.count), nil, values, nil, nil, 0)
        }
        return try answer(isSent)
    }

    /// Runs one statement that is prepared on its first use.
    @discardableResult
    func runPrepared(_ text: String, _ parameters: [String?] = []) throws(LedgerError) -> Rows {
        let name = statementNames[text] ?? "s\(statementNames.count)"
        if statementNames[text] == nil {
            try answer(unsafe dtvr_PQsendPrepare(handle, name, text, Int32(parameters.count), nil))
            statementNames[text] = name
        }
        let isSent = unsafe withCStrings(parameters) { values in
            unsafe dtvr_PQsendQueryPrepared(handle, name, Int32(parameters.count), values, nil, nil, 0)
        }
        return try answer(isSent)
    }

    /// Runs a script of the package.
    func run(script: [UInt8]) throws(LedgerError) {
        try answer(unsafe dtvr_PQsendQuery(handle, String(decoding: script, as: UTF8.self)))
    }

    /// The size at which copied bytes are sent.
    private static let copyChunk = 256 << 10

    /// Copies rows in the binary format into a table, and returns their number.
    @discardableResult
    func copy(_ statement: String, _ rows: [[UInt8]]) throws(LedgerError) -> Int {
        guard unsafe dtvr_PQsendQuery(handle, statement) == 1 else { throw .unreachable(connectionMessage) }
        let end = answerEnd
        try flush(until: end)
        let started = try unsafe nextResult(until: end)
        guard unsafe dtvr_PQresultStatus(started) == PGRES_COPY_IN else {
            _ = try unsafe self.rows(started)
            throw .failed("COPY was not started")
        }
        unsafe dtvr_PQclear(started)
        // The signature, no flags and no extension of the header; after the rows, the number of fields of the end.
        var bytes = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)
        for row in rows {
            bytes += row
            if bytes.count < Self.copyChunk { continue }
            try send(bytes)
            bytes.removeAll(keepingCapacity: true)
        }
        bytes.append(bigEndian: Int16(-1))
        try send(bytes)
        return try answer(unsafe dtvr_PQputCopyEnd(handle, nil)).changedCount
    }

    /// Sends a part of a copy.
    private func send(_ bytes: [UInt8]) throws(LedgerError) {
        let isSent = unsafe bytes.withUnsafeBytes { buffer in
            // The bytes are valid during the call. They are far fewer than the largest Int32.
            unsafe dtvr_PQputCopyData(
                handle, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: buffer.count)
            )
        }
        guard isSent == 1 else { throw .unreachable(connectionMessage) }
        try flush(until: answerEnd)
    }

    // MARK: Answers

    /// Returns the rows of the last result of a statement, or throws its first error.
    ///
    /// - Parameter isSent: The result of the function that sent the statement.
    @discardableResult
    private func answer(_ isSent: Int32) throws(LedgerError) -> Rows {
        guard isSent == 1 else { throw .unreachable(connectionMessage) }
        let end = answerEnd
        try flush(until: end)
        var rows: Rows?
        var failure: LedgerError?
        while let result = try unsafe nextResult(until: end) {
            do throws(LedgerError) {
                rows = try unsafe self.rows(result)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        guard let rows else { throw .unreachable(connectionMessage) }
        return rows
    }

    /// The time at which the wait for an answer ends, if it begins now.
    private var answerEnd: ContinuousClock.Instant? {
        let end = limits.answer.map { ContinuousClock.now + $0 }
        guard let deadline else { return end }
        return end.map { min($0, deadline) } ?? deadline
    }

    /// Sends all bytes that libpq has buffered.
    private func flush(until end: ContinuousClock.Instant?) throws(LedgerError) {
        while true {
            switch unsafe dtvr_PQflush(handle) {
            case 0: return
            case 1:
                // The server may wait until its answers are read.
                if try wait(for: POLLIN | POLLOUT, until: end) & POLLIN != 0,
                    unsafe dtvr_PQconsumeInput(handle) != 1
                {
                    throw .unreachable(connectionMessage)
                }
            default: throw .unreachable(connectionMessage)
            }
        }
    }

    /// Waits for the next result of a statement, which the caller clears; returns nil after the last one.
    private func nextResult(until end: ContinuousClock.Instant?) throws(LedgerError) -> OpaquePointer? {
        while unsafe dtvr_PQisBusy(handle) != 0 {
            try wait(for: POLLIN, until: end)
            // After an error of the connection, the next result has it.
            if unsafe dtvr_PQconsumeInput(handle) != 1 { break }
        }
        return unsafe dtvr_PQgetResult(handle)
    }

    /// The time between two checks for an interruption.
    private static let checkInterval = Duration.milliseconds(100)

    /// Waits until the socket is ready, and returns its events.
    @discardableResult
    private func wait(for events: Int32, until end: ContinuousClock.Instant?) throws(LedgerError) -> Int32 {
        while true {
            if limits.isInterrupted() {
                unsafe CancelRequest.start(for: handle)
                throw .cancelled("the collector is stopping")
            }
            let rest = end.map { $0 - .now } ?? Self.checkInterval
            if rest <= .zero {
                unsafe CancelRequest.start(for: handle)
                throw .noAnswer
            }
            var polled = unsafe pollfd(fd: dtvr_PQsocket(handle), events: Int16(events), revents: 0)
            let time = Int32(clamping: Int((min(rest, Self.checkInterval) / .milliseconds(1)).rounded(.up)))
            // `poll` writes the events before it returns.
            if unsafe poll(&polled, 1, time) > 0 { return Int32(polled.revents) }
        }
    }

    private func rows(_ result: OpaquePointer?) throws(LedgerError) -> Rows {
        guard let result = unsafe result else { throw .unreachable(connectionMessage) }
        // The result is valid until the end of the function, and so are the texts that libpq returns of it.
        defer { unsafe dtvr_PQclear(result) }
        let status = unsafe dtvr_PQresultStatus(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else { throw unsafe error(result) }
        var rows = Rows()
        let columnCount = unsafe dtvr_PQnfields(result)
        for row in 0..<(unsafe dtvr_PQntuples(result)) {
            rows.values.append(
                (0..<columnCount).map { column in
                    unsafe dtvr_PQgetisnull(result, row, column) != 0
                        ? nil : String(cString: dtvr_PQgetvalue(result, row, column))
                })
        }
        if let text = unsafe dtvr_PQcmdTuples(result) {
            rows.changedCount = unsafe Int(String(cString: text)) ?? 0
        }
        return rows
    }

    private func error(_ result: OpaquePointer) -> LedgerError {
        guard unsafe dtvr_PQstatus(handle) == CONNECTION_OK, let state = unsafe dtvr_pq_state(result) else {
            return .unreachable(connectionMessage)
        }
        let message = unsafe dtvr_pq_message(result).map { unsafe String(cString: $0) } ?? ""
        return unsafe LedgerError(state: String(cString: state), message: Self.oneLine(message))
    }

    /// The last error of the connection.
    private var connectionMessage: String {
        // libpq owns the text, which is valid until the next call.
        unsafe dtvr_PQerrorMessage(handle).map { unsafe Self.oneLine(String(cString: $0)) } ?? ""
    }

    private static func oneLine(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).map { $0.trimmed }.joined(separator: "; ")
        return PrintableText.of(String(line.prefix(300)))
    }
}

/// A request to the server to cancel a statement that did not answer in time.
///
/// libpq waits for the reply without a limit, so a separate thread sends the request. While one request waits, no
/// other starts.
@safe private final class CancelRequest: @unchecked Sendable {
    // Sendable: the handle, which does not refer to the connection, is set in init, and one thread uses it.
    private let handle: OpaquePointer
    private static let isPending = Mutex(false)

    private init?(_ connection: OpaquePointer) {
        guard let handle = unsafe dtvr_PQgetCancel(connection) else { return nil }
        unsafe self.handle = unsafe handle
    }

    deinit { unsafe dtvr_PQfreeCancel(handle) }

    static func start(for connection: OpaquePointer) {
        guard let request = unsafe CancelRequest(connection) else { return }
        let isFirst = isPending.withLock { isPending in
            defer { isPending = true }
            return !isPending
        }
        guard isFirst else { return }
        do throws(SystemError) {
            try HostThread.start(name: "dtvr-cancel") {
                request.send()
                isPending.withLock { $0 = false }
            }
        } catch {
            isPending.withLock { $0 = false }
        }
    }

    private func send() {
        var message = [CChar](repeating: 0, count: 256)
        // The message is valid during the call. Its failure does not matter: the server has a limit, too.
        _ = unsafe dtvr_PQcancel(handle, &message, Int32(message.count))
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
