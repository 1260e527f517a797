import CDTVRMicroHTTPD
import Foundation
import Glibc

/// What libmicrohttpd calls, on the thread of each connection.
final class ConnectionHandler: Sendable {
    let core: CollectorCore
    private let activity = Activity()

    init(core: CollectorCore) { self.core = core }

    /// Waits until no request is under way, at most so long.
    func waitUntilIdle(seconds: Double) { activity.waitUntilIdle(seconds: seconds) }

    /// In it, `context` is the handler, which outlives the daemon, and `requestContext` a place of the request's
    /// own, nil at first, where it keeps its `CollectorRequest` until `completed`.
    static let access: MHD_AccessHandlerCallback = {
        context, connection, url, method, version, uploadBytes, uploadCount, requestContext in
        guard let context = unsafe context, let connection = unsafe connection,
            let uploadCount = unsafe uploadCount, let requestContext = unsafe requestContext
        else { return MHD_Result.NO }
        let handler = unsafe Unmanaged<ConnectionHandler>.fromOpaque(context).takeUnretainedValue()
        guard let kept = unsafe requestContext.pointee else {
            let header = unsafe CollectorRequest.Header(
                method: method.map { unsafe String(cString: $0) } ?? "",
                path: url.map { unsafe String(cString: $0) } ?? "",
                contentType: field("Content-Type", connection),
                contentEncoding: field("Content-Encoding", connection),
                contentLength: field("Content-Length", connection),
                transferEncoding: field("Transfer-Encoding", connection),
                authorization: field("Authorization", connection),
                idempotencyKey: field("Idempotency-Key", connection))
            let isBatch = header.method == "POST" && header.path != "/status"
            let request = CollectorRequest(
                header, settings: handler.core.settings, faults: isBatch ? handler.core.nextFaults() : [])
            // `completed` balances this, once for every request.
            unsafe requestContext.pointee = Unmanaged.passRetained(request).toOpaque()
            handler.activity.begin()
            return MHD_Result.YES
        }
        let request = unsafe Unmanaged<CollectorRequest>.fromOpaque(kept).takeUnretainedValue()
        let step: CollectorRequest.Step
        let count = unsafe uploadCount.pointee
        if count > 0, let bytes = unsafe uploadBytes {
            let pause = request.pauseMicroseconds(for: count)
            if pause > 0 { usleep(pause) }
            // The library promises `count` readable bytes for the length of this call.
            step = unsafe UnsafeRawPointer(bytes).withMemoryRebound(to: UInt8.self, capacity: count) {
                unsafe request.receive(Span(_unsafeStart: $0, count: count))
            }
            // All are taken: the library would not come back for the rest before more arrives.
            unsafe uploadCount.pointee = 0
        } else {
            step = request.finish(handler.core)
        }
        switch step {
        case .proceed: return MHD_Result.YES
        case .drop: return MHD_Result.NO
        case .answer(let answer): return unsafe send(answer, connection)
        }
    }

    /// Called once for every request that `access` began, however it ended.
    static let completed: MHD_RequestCompletedCallback = { context, _, requestContext, _ in
        guard let context = unsafe context, let requestContext = unsafe requestContext,
            let kept = unsafe requestContext.pointee
        else { return }
        unsafe Unmanaged<CollectorRequest>.fromOpaque(kept).release()
        unsafe requestContext.pointee = nil
        unsafe Unmanaged<ConnectionHandler>.fromOpaque(context).takeUnretainedValue().activity.end()
    }

    /// The value of a header field; `connection` is the one that the library is calling about.
    private static func field(_ name: String, _ connection: OpaquePointer) -> String? {
        guard let value = unsafe MHD_lookup_connection_value(connection, MHD_ValueKind.HEADER_KIND, name)
        else {
            return nil
        }
        return unsafe String(cString: value)
    }

    private static func send(_ answer: CollectorAnswer, _ connection: OpaquePointer) -> MHD_Result {
        var body = answer.body
        let count = body.count
        // The library copies the bytes before the call returns.
        let made = unsafe body.withUnsafeMutableBytes {
            unsafe MHD_create_response_from_buffer(
                count, $0.baseAddress, MHD_ResponseMemoryMode.RESPMEM_MUST_COPY)
        }
        guard let response = unsafe made else { return MHD_Result.NO }
        // Queued, the response lives on until it is sent; this lets go of our hold on it.
        defer { unsafe MHD_destroy_response(response) }
        for field in answer.fields {
            if unsafe MHD_add_response_header(response, field.name, field.value) != MHD_Result.YES {
                return MHD_Result.NO
            }
        }
        return unsafe MHD_queue_response(connection, UInt32(clamping: answer.status), response)
    }

    /// How many requests are under way.
    private final class Activity: @unchecked Sendable {
        // Sendable: the count is touched under the condition's lock only.
        private let condition = NSCondition()
        private var count = 0

        func begin() {
            condition.withLock { count += 1 }
        }

        func end() {
            condition.withLock { count -= 1 }
            condition.broadcast()
        }

        func waitUntilIdle(seconds: Double) {
            let limit = Date(timeIntervalSinceNow: seconds)
            condition.withLock {
                while count > 0, condition.wait(until: limit) {}
            }
        }
    }
}
