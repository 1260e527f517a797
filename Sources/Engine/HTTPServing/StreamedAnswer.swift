import CDTVRMicroHTTPD
import Synchronization

/// The body that libmicrohttpd fetches from an `AnswerStream`, on the thread of its connection.
final class StreamedAnswer {
    private let stream: any AnswerStream
    /// Where a server that stops says so.
    private let connections: Connections
    /// What is left of the last piece.
    private var rest: ArraySlice<UInt8> = []

    /// How long a stream may block before it is asked again: a server that stops waits for so long.
    private static let longestWait = Duration.milliseconds(200)
    /// The most bytes that are fetched at a time.
    private static let blockByteCount = 32 << 10
    /// What tells the library that the body has ended, and that it will not: the macros for it are not imported.
    private static let end = -1
    private static let endWithError = -2

    private init(_ stream: any AnswerStream, _ connections: Connections) {
        self.stream = stream
        self.connections = connections
    }

    /// A response with the stream as its body; nil where there is no memory.
    static func response(_ stream: any AnswerStream, _ connections: Connections) -> OpaquePointer? {
        let size = stream.byteCount.map { UInt64($0) } ?? UInt64.max  // MHD_SIZE_UNKNOWN
        // `free` balances this, once, when the response goes; a response that could not be made takes nothing over.
        let context = unsafe Unmanaged.passRetained(StreamedAnswer(stream, connections))
        let response = unsafe MHD_create_response_from_callback(
            size, blockByteCount, fetch, context.toOpaque(), free)
        if unsafe response == nil { unsafe context.release() }
        return unsafe response
    }

    /// Waits for bytes, at most `room` of them; an empty result says that there are none any more.
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
        // The library lends `room` bytes for the length of the call, and there are no more than that.
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
