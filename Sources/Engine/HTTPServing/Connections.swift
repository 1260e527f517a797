import CDTVRMicroHTTPD
import HostSystem
import Synchronization

/// The callbacks that libmicrohttpd calls on the thread of each connection.
final class Connections: Sendable {
    private let handle: @Sendable (HTTPServerRequest) -> any RequestHandler
    private let activity = Mutex(Activity())
    private let stopping = Atomic(false)

    /// The number of requests in progress, and the threads that wait for their end.
    private struct Activity {
        var count = 0
        var waiting: [Semaphore] = []
    }

    /// The open connections and their time limits.
    let open: OpenConnections

    init(_ open: OpenConnections, handle: @escaping @Sendable (HTTPServerRequest) -> any RequestHandler) {
        self.open = open
        self.handle = handle
    }

    /// Whether the server is stopping, so that streams must end.
    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    /// Ends all streamed bodies.
    func endStreams() { stopping.store(true, ordering: .relaxed) }

    /// Waits until no request is in progress, up to `limit`, and returns whether none is.
    func waitUntilIdle(_ limit: Duration) -> Bool {
        let semaphore = Semaphore()
        let isIdle = activity.withLock { activity in
            if activity.count > 0 { activity.waiting.append(semaphore) }
            return activity.count == 0
        }
        return isIdle || semaphore.wait(atMost: limit)
    }

    private func begin() { activity.withLock { $0.count += 1 } }

    private func end() {
        let waiting = activity.withLock { activity -> [Semaphore] in
            activity.count -= 1
            guard activity.count == 0 else { return [] }
            defer { activity.waiting = [] }
            return activity.waiting
        }
        for semaphore in waiting { semaphore.signal() }
    }

    /// The callback for each part of a request.
    ///
    /// `context` is the `Connections`, which outlive the daemon. `requestContext` is storage for the request, initially
    /// nil, which holds its handler until `completed`.
    static let access: MHD_AccessHandlerCallback = {
        context, connection, url, method, version, uploadBytes, uploadCount, requestContext in
        guard let context = unsafe context, let connection = unsafe connection,
            let uploadCount = unsafe uploadCount, let requestContext = unsafe requestContext
        else { return MHD_Result.NO }
        let connections = unsafe Unmanaged<Connections>.fromOpaque(context).takeUnretainedValue()
        guard let kept = unsafe requestContext.pointee else {
            // The library's strings are zero-terminated and valid for the call.
            let request = unsafe HTTPServerRequest(
                method: method.map { unsafe String(cString: $0) } ?? "",
                path: url.map { unsafe String(cString: $0) } ?? "",
                query: pairs(MHD_ValueKind.GET_ARGUMENT_KIND, connection),
                fields: pairs(MHD_ValueKind.HEADER_KIND, connection))
            let handler = Handler(connections.handle(request))
            // `completed` balances this, exactly once per request.
            unsafe requestContext.pointee = Unmanaged.passRetained(handler).toOpaque()
            connections.begin()
            if let connection = unsafe opened(connection) { connections.open.beginRequest(connection) }
            return MHD_Result.YES
        }
        let handler = unsafe Unmanaged<Handler>.fromOpaque(kept).takeUnretainedValue().handler
        let step: RequestStep
        let count = unsafe uploadCount.pointee
        if count > 0, let bytes = unsafe uploadBytes {
            // The library guarantees `count` readable bytes for the duration of this call.
            step = unsafe UnsafeRawPointer(bytes).withMemoryRebound(to: UInt8.self, capacity: count) {
                unsafe handler.receive(Span(_unsafeStart: $0, count: count))
            }
            // Consume all bytes: the library would offer the rest again only when more arrives.
            unsafe uploadCount.pointee = 0
        } else {
            if let connection = unsafe opened(connection) { connections.open.beginAnswer(connection) }
            step = handler.finish()
        }
        switch step {
        case .proceed: return MHD_Result.YES
        case .drop: return MHD_Result.NO
        case .answer(let answer):
            return unsafe send(answer, makeResponse(answer.body), connection)
        case .stream(let answer, let stream):
            return unsafe send(answer, StreamedAnswer.response(stream, connections), connection)
        }
    }

    /// The callback for the end of each request that `access` started, regardless of the outcome.
    static let completed: MHD_RequestCompletedCallback = { context, connection, requestContext, _ in
        guard let context = unsafe context, let requestContext = unsafe requestContext,
            let kept = unsafe requestContext.pointee
        else { return }
        unsafe Unmanaged<Handler>.fromOpaque(kept).release()
        unsafe requestContext.pointee = nil
        let connections = unsafe Unmanaged<Connections>.fromOpaque(context).takeUnretainedValue()
        if let connection = unsafe opened(connection) { connections.open.endRequest(connection) }
        connections.end()
    }

    /// The callback for each connection, when it is accepted and before its socket is closed.
    ///
    /// `connectionContext` is storage for the connection, initially nil, which holds its `OpenConnection` until it is
    /// closed.
    static let notified: MHD_NotifyConnectionCallback = { context, connection, connectionContext, event in
        guard let context = unsafe context, let connection = unsafe connection,
            let connectionContext = unsafe connectionContext
        else { return }
        let open = unsafe Unmanaged<Connections>.fromOpaque(context).takeUnretainedValue().open
        if event == MHD_ConnectionNotificationCode.CONNECTION_NOTIFY_STARTED {
            let opened = open.open(socket: unsafe dtvr_mhd_socket(connection))
            unsafe connectionContext.pointee = Unmanaged.passRetained(opened).toOpaque()
        } else if let kept = unsafe connectionContext.pointee {
            // Balances the call above, exactly once per connection.
            open.close(unsafe Unmanaged<OpenConnection>.fromOpaque(kept).takeRetainedValue())
            unsafe connectionContext.pointee = nil
        }
    }

    /// Returns the open connection that the library passed to a callback.
    private static func opened(_ connection: OpaquePointer?) -> OpenConnection? {
        guard let kept = unsafe dtvr_mhd_context(connection) else { return nil }
        return unsafe Unmanaged<OpenConnection>.fromOpaque(kept).takeUnretainedValue()
    }

    /// A class that boxes the handler, because a pointer cannot refer to an existential.
    private final class Handler {
        let handler: any RequestHandler
        init(_ handler: any RequestHandler) { self.handler = handler }
    }

    /// Returns the header fields or query parameters of the connection that the library passed to the callback.
    private static func pairs(
        _ kind: MHD_ValueKind, _ connection: OpaquePointer
    ) -> [HTTPServerRequest.Pair] {
        var pairs: [HTTPServerRequest.Pair] = []
        // The list is lent to the callback for the duration of the call; strings are zero-terminated.
        unsafe withUnsafeMutablePointer(to: &pairs) { list in
            _ = unsafe dtvr_MHD_get_connection_values(
                connection, kind,
                { list, _, name, value in
                    guard let list = unsafe list, let name = unsafe name else { return MHD_Result.NO }
                    unsafe list.assumingMemoryBound(to: [HTTPServerRequest.Pair].self).pointee.append(
                        .init(
                            name: String(cString: name),
                            value: value.map { unsafe String(cString: $0) } ?? ""))
                    return MHD_Result.YES
                }, list)
        }
        return pairs
    }

    private static func makeResponse(_ body: [UInt8]) -> OpaquePointer? {
        var body = body
        let count = body.count
        // The library copies the bytes before the call returns.
        return unsafe body.withUnsafeMutableBytes {
            unsafe dtvr_MHD_create_response_from_buffer(
                count, $0.baseAddress, MHD_ResponseMemoryMode.RESPMEM_MUST_COPY)
        }
    }

    /// Sends an answer with a response as its body, and consumes the response.
    private static func send(
        _ answer: HTTPServerAnswer, _ response: OpaquePointer?, _ connection: OpaquePointer
    ) -> MHD_Result {
        guard let response = unsafe response else { return MHD_Result.NO }
        // The queue keeps the response until it is sent; this releases the local reference.
        defer { unsafe dtvr_MHD_destroy_response(response) }
        for field in answer.fields {
            if unsafe dtvr_MHD_add_response_header(response, field.name, field.value) != MHD_Result.YES {
                return MHD_Result.NO
            }
        }
        return unsafe dtvr_MHD_queue_response(connection, UInt32(clamping: answer.status), response)
    }
}

/// The adapter from an `AnswerStream` to libmicrohttpd, used on the thread of the connection.
final class StreamedAnswer {
    private let stream: any AnswerStream
    /// The connections, which report whether the server is stopping.
    private let connections: Connections
    /// The unsent rest of the last piece.
    private var rest: ArraySlice<UInt8> = []

    /// The maximum blocking time per call to the stream, which also delays a server that is stopping.
    private static let longestWait = Duration.milliseconds(200)
    /// The maximum number of bytes per callback.
    private static let blockByteCount = 32 << 10
    /// MHD_CONTENT_READER_END_OF_STREAM and MHD_CONTENT_READER_END_WITH_ERROR, macros that Swift cannot import.
    private static let end = -1
    private static let endWithError = -2

    private init(_ stream: any AnswerStream, _ connections: Connections) {
        self.stream = stream
        self.connections = connections
    }

    /// Returns a response with the stream as its body, or nil if memory is exhausted.
    static func response(_ stream: any AnswerStream, _ connections: Connections) -> OpaquePointer? {
        let size = stream.byteCount.map { UInt64($0) } ?? UInt64.max  // MHD_SIZE_UNKNOWN
        // `free` balances this once, when the response is destroyed; on failure it is released here.
        let context = unsafe Unmanaged.passRetained(StreamedAnswer(stream, connections))
        let response = unsafe dtvr_MHD_create_response_from_callback(
            size, blockByteCount, fetch, context.toOpaque(), free)
        if unsafe response == nil { unsafe context.release() }
        return unsafe response
    }

    /// Returns up to `room` bytes when available, an empty slice at the end, or nil if the server is stopping.
    private func next(_ room: Int) -> ArraySlice<UInt8>? {
        while rest.isEmpty {
            if connections.isStopping { return nil }
            guard let piece = stream.nextPiece(waitingAtMost: Self.longestWait) else { return [] }
            rest = piece[...]
        }
        let next = rest.prefix(room)
        rest = rest.dropFirst(room)
        return next
    }

    private static let fetch: MHD_ContentReaderCallback = { context, _, buffer, room in
        guard let context = unsafe context, let buffer = unsafe buffer else { return endWithError }
        // The context is the answer that the response holds.
        let answer = unsafe Unmanaged<StreamedAnswer>.fromOpaque(context).takeUnretainedValue()
        guard let bytes = answer.next(room) else { return endWithError }
        if bytes.isEmpty { return end }
        // The library provides `room` bytes for the duration of the call, and `bytes` is not longer.
        unsafe bytes.withUnsafeBytes {
            unsafe UnsafeMutableRawBufferPointer(start: buffer, count: room).copyMemory(from: $0)
        }
        return bytes.count
    }

    private static let free: MHD_ContentReaderFreeCallback = { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<StreamedAnswer>.fromOpaque(context).release()
    }
}
