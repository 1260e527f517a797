import CDTVRMicroHTTPD
import HostSystem
import Synchronization

/// What libmicrohttpd calls, on the thread of each connection.
final class Connections: Sendable {
    private let handle: @Sendable (HTTPServerRequest) -> any RequestHandler
    private let activity = Mutex(Activity())
    private let stopping = Atomic(false)

    /// How many requests are under way, and who waits for their end.
    private struct Activity {
        var count = 0
        var waiting: [Semaphore] = []
    }

    /// Which connections are open, and for how long they may be.
    let open: OpenConnections

    init(_ open: OpenConnections, handle: @escaping @Sendable (HTTPServerRequest) -> any RequestHandler) {
        self.open = open
        self.handle = handle
    }

    /// Whether the server stops, so that no body may go on for ever.
    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    /// Ends every body that is sent piece by piece.
    func endStreams() { stopping.store(true, ordering: .relaxed) }

    /// Waits until no request is under way, at most so long.
    func waitUntilIdle(_ limit: Duration) {
        let semaphore = Semaphore()
        let isIdle = activity.withLock { activity in
            if activity.count > 0 { activity.waiting.append(semaphore) }
            return activity.count == 0
        }
        if !isIdle { _ = semaphore.wait(atMost: limit) }
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

    /// In it, `context` is the `Connections`, which outlive the daemon, and `requestContext` a place of the request's
    /// own, nil at first, where it keeps its handler until `completed`.
    static let access: MHD_AccessHandlerCallback = {
        context, connection, url, method, version, uploadBytes, uploadCount, requestContext in
        guard let context = unsafe context, let connection = unsafe connection,
            let uploadCount = unsafe uploadCount, let requestContext = unsafe requestContext
        else { return MHD_Result.NO }
        let connections = unsafe Unmanaged<Connections>.fromOpaque(context).takeUnretainedValue()
        guard let kept = unsafe requestContext.pointee else {
            // The library's texts end with a zero and live for the call.
            let request = unsafe HTTPServerRequest(
                method: method.map { unsafe String(cString: $0) } ?? "",
                path: url.map { unsafe String(cString: $0) } ?? "",
                query: pairs(MHD_ValueKind.GET_ARGUMENT_KIND, connection),
                fields: pairs(MHD_ValueKind.HEADER_KIND, connection))
            let handler = Handler(connections.handle(request))
            // `completed` balances this, once for every request.
            unsafe requestContext.pointee = Unmanaged.passRetained(handler).toOpaque()
            connections.begin()
            connections.open.beginRequest(UInt(bitPattern: connection))
            return MHD_Result.YES
        }
        let handler = unsafe Unmanaged<Handler>.fromOpaque(kept).takeUnretainedValue().handler
        let step: RequestStep
        let count = unsafe uploadCount.pointee
        if count > 0, let bytes = unsafe uploadBytes {
            // The library promises `count` readable bytes for the length of this call.
            step = unsafe UnsafeRawPointer(bytes).withMemoryRebound(to: UInt8.self, capacity: count) {
                unsafe handler.receive(Span(_unsafeStart: $0, count: count))
            }
            // All are taken: the library would not come back for the rest before more arrives.
            unsafe uploadCount.pointee = 0
        } else {
            connections.open.beginAnswer(UInt(bitPattern: connection))
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

    /// Called once for every request that `access` began, however it ended.
    static let completed: MHD_RequestCompletedCallback = { context, connection, requestContext, _ in
        guard let context = unsafe context, let requestContext = unsafe requestContext,
            let kept = unsafe requestContext.pointee
        else { return }
        unsafe Unmanaged<Handler>.fromOpaque(kept).release()
        unsafe requestContext.pointee = nil
        let connections = unsafe Unmanaged<Connections>.fromOpaque(context).takeUnretainedValue()
        connections.open.endRequest(UInt(bitPattern: connection))
        connections.end()
    }

    /// Called for every connection when it is accepted, and before its socket is closed.
    static let notified: MHD_NotifyConnectionCallback = { context, connection, _, event in
        guard let context = unsafe context, let connection = unsafe connection else { return }
        let open = unsafe Unmanaged<Connections>.fromOpaque(context).takeUnretainedValue().open
        let id = UInt(bitPattern: connection)
        if event == MHD_ConnectionNotificationCode.CONNECTION_NOTIFY_STARTED {
            open.open(id, socket: unsafe dtvr_mhd_socket(connection))
        } else {
            open.close(id)
        }
    }

    /// A pointer can hold a class, and not an existential.
    private final class Handler {
        let handler: any RequestHandler
        init(_ handler: any RequestHandler) { self.handler = handler }
    }

    /// The header fields or query parameters; `connection` is the one that the library is calling about.
    private static func pairs(
        _ kind: MHD_ValueKind, _ connection: OpaquePointer
    ) -> [HTTPServerRequest.Pair] {
        var pairs: [HTTPServerRequest.Pair] = []
        // The list is lent to the callback for the length of the call; texts end with a zero.
        unsafe withUnsafeMutablePointer(to: &pairs) { list in
            _ = unsafe MHD_get_connection_values(
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
            unsafe MHD_create_response_from_buffer(
                count, $0.baseAddress, MHD_ResponseMemoryMode.RESPMEM_MUST_COPY)
        }
    }

    /// Sends the head of an answer and the body of a response, which is used up.
    private static func send(
        _ answer: HTTPServerAnswer, _ response: OpaquePointer?, _ connection: OpaquePointer
    ) -> MHD_Result {
        guard let response = unsafe response else { return MHD_Result.NO }
        // Queued, the response lives on until it is sent; this lets go of our hold on it.
        defer { unsafe MHD_destroy_response(response) }
        for field in answer.fields {
            if unsafe MHD_add_response_header(response, field.name, field.value) != MHD_Result.YES {
                return MHD_Result.NO
            }
        }
        return unsafe MHD_queue_response(connection, UInt32(clamping: answer.status), response)
    }
}
