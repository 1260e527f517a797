import FoundationEssentials
import HTTPTransfer
package import HostSystem
import Synchronization
package import TagStore

/// A buffer that another process owns, accessed through the socket in its folder.
///
/// Every request has a time limit. If the owner does not answer, the caller cannot know whether an append was stored:
/// it appends the tags again, to this owner or the next, and the collector recognizes the ids. The owner holds tags
/// until this object is closed, even if it did not answer some requests in time.
package final class RemoteBuffer: Sendable {
    /// The name of the socket in the folder.
    package static let socketName = "buffer.sock"

    /// The time limits of the answers, in seconds.
    struct TimeLimits: Sendable {
        /// The limit of most answers.
        var answerSeconds = 20
        /// The limit of a status, which is short because a status request must not wait for a hanging owner.
        var statusSeconds = 2
        /// The limit of a check of all rows.
        var verificationSeconds = 600
    }

    /// The maximum size of an answer: 500 rows with bodies of maximum size, in base64.
    private static let maximumByteCount = 64 << 20

    private let timeLimits: TimeLimits
    private let client: HTTPClient
    private let connection: ConnectionSettings
    private let directory: String
    /// The open folder; a path through its descriptor is short enough for a socket address.
    private let folder: FileDescriptor
    /// The owner at the time when this object was created; nil if it is unknown.
    private let holder: StoreHolder?
    /// The id under which the owner holds tags for this object.
    private let id = TagID.random().text
    private let state: Mutex<State>

    private struct State {
        var totals = StoreTotals()
        /// The task that keeps the holding connection; nil without one.
        var holding: Task<Void, Never>?
        /// The number of the last holding connection.
        var holdingNumber = 0
    }

    /// Creates the access to the buffer in a folder; nil if there is no socket.
    ///
    /// - Parameter users: The users who may own the folder, the socket, and the process that serves it.
    /// - Throws: `untrusted` if others own the folder or the socket, or may write to it.
    package convenience init?(
        in directory: String, trusting users: TrustedUsers = .own
    ) throws(StoreError) {
        try self.init(in: directory, trusting: users, timeLimits: TimeLimits())
    }

    /// Creates the access with other time limits, for tests.
    init?(in directory: String, trusting users: TrustedUsers, timeLimits: TimeLimits) throws(StoreError) {
        self.directory = directory
        self.timeLimits = timeLimits
        holder = StoreHolder.last(of: directory)
        state = Mutex(State())
        let objection: String?
        do {
            folder = try FileDescriptor(path: directory, options: [.reading, .directory])
            guard try FileSystem.names(in: directory).contains(Self.socketName) else { return nil }
            client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/\(Uploader.version)"))
            var connection = ConnectionSettings()
            connection.socketPath = "/proc/self/fd/\(folder.number)/\(Self.socketName)"
            connection.socketUsers = users
            self.connection = connection
            objection = try users.objection(toFileAt: "\(directory)/\(Self.socketName)")
        } catch {
            return nil
        }
        try users.check(folder)
        if let objection { throw .untrusted(path: socketPath, reason: objection) }
    }

    deinit { close() }

    /// The process id of the owner; nil if it is unknown.
    package var owner: Int32? { StoreHolder.last(of: directory)?.processID }

    /// Whether no other process has opened the buffer since this object was created.
    var hasSameOwner: Bool { holder != nil && holder == StoreHolder.last(of: directory) }

    /// The totals of the buffer at the last answer that had them.
    var totals: StoreTotals { state.withLock { $0.totals } }

    /// Ends the holding connection, which releases the tags that are still held.
    package func close() {
        let holding = state.withLock { $0.holding.take() }
        holding?.cancel()
    }

    // MARK: Writing

    /// Appends tags like `TagBuffer.appendInPieces`.
    ///
    /// Held tags are released when this object is closed or its process ends.
    func appendInPieces(
        _ tags: [NewTag], of owner: TagOwner = .nobody, bookmark: Bookmark? = nil, isHeld: Bool = false
    ) async throws(StoreError) -> [AppendedPiece] {
        if isHeld { try await beginHolding() }
        var pieces: [AppendedPiece] = []
        var start = 0
        while start < tags.count {
            let end = Self.end(ofRequestFrom: start, in: tags)
            let append = BufferRequest.Append(
                owner: owner, bookmark: end == tags.count ? bookmark : nil, holder: isHeld ? id : nil,
                tags: tags[start..<end].map {
                    .init(id: $0.id.text, byteCount: $0.body.count, owner: $0.owner)
                })
            let appended: [AppendedPiece] = try await change(
                .append(append), bodies: tags[start..<end].map(\.body))
            pieces += appended
            start = end
        }
        return pieces
    }

    /// Returns the end of the tags that fit into one request: at least one.
    private static func end(ofRequestFrom start: Int, in tags: [NewTag]) -> Int {
        var end = start
        var byteCount = 0
        while end < tags.count, end - start < BufferRequest.maximumTagCount {
            byteCount += tags[end].body.count
            if end > start, byteCount > BufferRequest.maximumBodyByteCount { break }
            end += 1
        }
        return end
    }

    /// Makes held tags available for delivery, some of them with a new body.
    func release(_ tags: [ReleasedTag]) async throws(StoreError) {
        let _: Bool = try await change(
            .release(tags.map { .init(sequence: $0.sequence, byteCount: $0.body?.count) }),
            bodies: tags.compactMap(\.body))
    }

    /// Admits all quarantined tags to delivery, or deletes them, and returns their number.
    func admit(deleting isDeleting: Bool) async throws(StoreError) -> Int64 {
        do throws(StoreError) {
            return try await change(.admit(deleting: isDeleting))
        } catch {
            // An owner of an earlier version does not know the request. The tags stay quarantined until the next one.
            guard try await responds() else { throw error }
            return 0
        }
    }

    /// Writes the tags that are in memory only; returns whether none remain there.
    package func flush() async throws(StoreError) -> Bool { try await change(.flush) }

    /// Moves all dead letters back to the waiting tags, and returns their number.
    func retryDeadLetters() async throws(StoreError) -> Int64 { try await change(.retryDeadLetters) }

    /// Removes the rows older than an age, and returns their number.
    func prune(_ rows: BufferRows, olderThan age: Duration) async throws(StoreError) -> Int64 {
        try await change(.prune(rows, age: age.milliseconds))
    }

    // MARK: Reading

    /// Returns whether the owner responds.
    ///
    /// - Throws: `untrusted` if the owner is a process of another user.
    func responds() async throws(StoreError) -> Bool {
        do throws(StoreError) {
            _ = try await status()
            return true
        } catch {
            if case .untrusted = error { throw error }
            return false
        }
    }

    /// Returns the current status of the buffer.
    package func status() async throws(StoreError) -> StoreStatus {
        let status: StoreStatus = try await answer(to: .status, seconds: timeLimits.statusSeconds)
        state.withLock { $0.totals = status.totals }
        return status
    }

    /// Returns the next rows after a sequence number, oldest first; empty at the end.
    func page(of rows: BufferRows, after sequence: Int64) async throws(StoreError) -> [BufferRow] {
        try await answer(to: .page(of: rows, after: sequence))
    }

    /// Has the owner read and verify every row.
    func verify() async throws(StoreError) -> StoreVerification {
        try await answer(to: .verify, seconds: timeLimits.verificationSeconds)
    }

    // MARK: Requests

    /// The path of the socket, for messages.
    private var socketPath: String { "\(directory)/\(Self.socketName)" }

    /// Returns the error for a request that the owner did not answer.
    private func failure(_ error: HTTPTransferError) -> StoreError {
        error.kind == .addressRefused
            ? .untrusted(path: socketPath, reason: error.detail)
            : .remote(reason: "the process that holds the buffer does not respond: \(error.reason)")
    }

    private func change<Value: Codable & Sendable>(
        _ request: BufferRequest, bodies: [[UInt8]] = []
    ) async throws(StoreError) -> Value {
        let change: BufferChange<Value> = try await answer(to: request, bodies: bodies)
        state.withLock { $0.totals = change.totals }
        return change.value
    }

    private func answer<Value: Decodable>(
        to request: BufferRequest, bodies: [[UInt8]] = [], seconds: Int? = nil
    ) async throws(StoreError) -> Value {
        var transfer = HTTPRequest(
            .post(body: try request.encoded(with: bodies)), url: "http://localhost\(BufferRequest.path)")
        transfer.connection = connection
        transfer.bodyLimit = .failing(after: Self.maximumByteCount)
        let seconds = seconds ?? timeLimits.answerSeconds
        transfer.timeLimits.total = seconds
        transfer.timeLimits.lowSpeedSeconds = seconds
        let response: HTTPResponse
        do throws(HTTPTransferError) {
            response = try await client.send(transfer)
        } catch {
            throw failure(error)
        }
        guard response.head.isSuccess else {
            throw .remote(reason: String(decoding: response.body, as: UTF8.self))
        }
        do {
            return try JSONDecoder().decode(Value.self, from: Data(response.body))
        } catch {
            throw .remote(
                reason: "the process that holds the buffer has a different version: its answer cannot be read"
            )
        }
    }

    // MARK: Holding

    /// Opens the holding connection, unless it is open; only one task at a time may append held tags.
    private func beginHolding() async throws(StoreError) {
        if state.withLock({ $0.holding != nil }) { return }
        var request = HTTPRequest(
            .get,
            url: "http://localhost\(BufferRequest.holdingPath)?\(BufferRequest.clientParameter)=\(id)")
        request.connection = connection
        // The connection is idle for most of the time, for as long as this process runs.
        request.timeLimits.lowSpeedBytesPerSecond = 0
        let stream: HTTPBodyStream
        do throws(HTTPTransferError) {
            stream = try await client.stream(request)
        } catch {
            throw failure(error)
        }
        guard stream.head.isSuccess else {
            throw .remote(reason: "the process that holds the buffer refuses to hold tags")
        }
        let number = state.withLock { state in
            state.holdingNumber += 1
            return state.holdingNumber
        }
        let holding = Task.detached { [weak self] in
            do throws(HTTPTransferError) {
                while try await stream.next() != nil {}
            } catch {
                // The owner has ended: the next held append connects to the next one.
            }
            self?.endHolding(number)
        }
        state.withLock { $0.holding = holding }
    }

    /// Forgets a holding connection that has ended, unless a later one has replaced it.
    private func endHolding(_ number: Int) {
        state.withLock { state in
            if state.holdingNumber == number { state.holding = nil }
        }
    }
}
