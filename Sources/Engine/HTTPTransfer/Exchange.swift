import Synchronization

/// The state of a request that the transfer thread and the requesting task share.
final class Exchange: Sendable {
    let request: HTTPRequest
    let identifier: UInt64
    /// Whether the caller reads the body in chunks as it arrives, with flow control.
    let isStreamed: Bool
    private let state: Mutex<State>

    /// Whether the head is not reported before the first chunk or the end of the body.
    private var waitsForBody: Bool { !isStreamed || request.chunkByteCount > 1 }

    init(request: HTTPRequest, identifier: UInt64, bufferLimit: Int?) {
        self.request = request
        self.identifier = identifier
        isStreamed = bufferLimit != nil
        state = Mutex(State(bufferLimit: bufferLimit))
    }

    /// The outcome of receiving a chunk.
    enum Reception {
        case taken
        case pause
        case tooLarge
        case truncated
    }

    private struct State {
        /// The maximum size of the unread buffer, in bytes; nil for a body that is collected as a whole.
        let bufferLimit: Int?
        var head: HTTPResponseHead?
        var buffer: [UInt8] = []
        var receivedCount = 0
        var isPaused = false
        var isTruncated = false
        var outcome: Result<Void, HTTPTransferError>?
        /// The tasks that wait for a change; each checks the state again after it resumes.
        var waiters: [CheckedContinuation<Void, Never>] = []

        var changeCount: UInt64 = 0

        mutating func changed() -> [CheckedContinuation<Void, Never>] {
            changeCount &+= 1
            defer { waiters = [] }
            return waiters
        }
    }

    // MARK: Transfer thread

    func receive(head: HTTPResponseHead) {
        let waiters = state.withLock { state in
            guard state.head == nil else { return [CheckedContinuation<Void, Never>]() }
            state.head = head
            // The reader of a collected body waits for its end, and that of a segment for its first chunk.
            return waitsForBody ? [] : state.changed()
        }
        for waiter in waiters { waiter.resume() }
    }

    func receive(_ bytes: Span<UInt8>) -> Reception {
        let (reception, waiters): (Reception, [CheckedContinuation<Void, Never>]) = state.withLock { state in
            var count = bytes.count
            var reception = Reception.taken
            let room = request.bodyLimit.byteCount - state.receivedCount
            if count > room {
                guard case .truncating = request.bodyLimit else { return (.tooLarge, []) }
                count = room
                state.isTruncated = true
                reception = .truncated
            }
            if let limit = state.bufferLimit, !state.buffer.isEmpty, state.buffer.count + count > limit {
                state.isPaused = true
                return (.pause, state.changed())
            }
            if state.buffer.isEmpty { reserve(&state, piece: count) }
            state.receivedCount += count
            // The span is valid for the call, and `count` does not exceed its length.
            unsafe bytes.extracting(first: count).withUnsafeBufferPointer {
                unsafe state.buffer.append(contentsOf: $0)
            }
            let isChunk = isStreamed && state.buffer.count >= request.chunkByteCount
            return (reception, isChunk ? state.changed() : [])
        }
        for waiter in waiters { waiter.resume() }
        return reception
    }

    /// Allocates the buffer for a chunk at once, if the response says how long it is.
    private func reserve(_ state: inout State, piece: Int) {
        guard request.chunkByteCount > piece,
            let length = state.head?.headers["content-length"].flatMap({ Int($0) }),
            length > state.receivedCount
        else { return }
        state.buffer.reserveCapacity(min(length - state.receivedCount, request.chunkByteCount + piece))
    }

    func finish(_ outcome: Result<Void, HTTPTransferError>) {
        let waiters = state.withLock { state in
            guard state.outcome == nil else { return [CheckedContinuation<Void, Never>]() }
            state.outcome = outcome
            return state.changed()
        }
        for waiter in waiters { waiter.resume() }
    }

    // MARK: Requesting task

    /// Whether the transfer has ended.
    var isFinished: Bool { state.withLock { $0.outcome != nil } }

    func head() async throws(HTTPTransferError) -> HTTPResponseHead {
        try await value { state in
            if let head = state.head { return .success(head) }
            if case .failure(let error) = state.outcome { return .failure(error) }
            return nil
        }
    }

    /// Returns the bytes since the last call and whether the transfer was paused, or nil at the end of the body.
    func nextChunk() async throws(HTTPTransferError) -> (bytes: [UInt8], wasPaused: Bool)? {
        try await value { state in
            if state.buffer.count >= request.chunkByteCount || state.isPaused
                || state.outcome != nil && !state.buffer.isEmpty
            {
                let chunk = (bytes: state.buffer, wasPaused: state.isPaused)
                state.buffer = []
                state.isPaused = false
                return .success(chunk)
            }
            return state.outcome?.map { nil }
        }
    }

    func response() async throws(HTTPTransferError) -> HTTPResponse {
        try await value { state in
            switch state.outcome {
            case nil:
                return nil
            case .failure(let error):
                return .failure(error)
            case .success:
                guard let head = state.head else { return nil }
                defer { state.buffer = [] }
                return .success(
                    HTTPResponse(head: head, body: state.buffer, isTruncated: state.isTruncated))
            }
        }
    }

    /// Waits until a closure finds a value in the state, or an error; it returns nil as long as there is neither.
    private func value<Value: Sendable>(
        _ lookUp: (inout State) -> Result<Value, HTTPTransferError>?
    ) async throws(HTTPTransferError) -> Value {
        while true {
            let (found, seen) = state.withLock { (lookUp(&$0), $0.changeCount) }
            if let found { return try found.get() }
            await withCheckedContinuation { continuation in
                // The state may change between the check and this point; in that case check again at once.
                let hasChanged = state.withLock { state in
                    if state.changeCount != seen { return true }
                    state.waiters.append(continuation)
                    return false
                }
                if hasChanged { continuation.resume() }
            }
        }
    }
}
