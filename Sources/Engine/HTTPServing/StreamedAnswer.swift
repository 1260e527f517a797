import CDTVRMicroHTTPD
import Synchronization

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
        let response = unsafe MHD_create_response_from_callback(
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
