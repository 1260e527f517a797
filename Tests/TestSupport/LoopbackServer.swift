import ByteReading
import Glibc
import Synchronization

/// A server on 127.0.0.1 that answers each request with bytes from the test, with one thread per connection.
public final class LoopbackServer: Sendable {
    /// One step of an answer.
    public enum Step: Sendable {
        /// Sends a text.
        case send(String)
        /// Sends bytes.
        case sendBytes([UInt8])
        /// Sends nothing, and reads until the client closes the connection.
        case hang
        /// Sends a text ten times a second until the client closes the connection.
        case drip(String)
        /// Closes the connection, even in the middle of a body.
        case close
        /// Resets the connection.
        case reset
        /// Sends `count` blocks of `size` bytes, counts those that the socket accepted, and reports stalls.
        case flood(count: Int, size: Int)
    }

    /// A request from a client.
    public struct Request: Sendable {
        /// The request line.
        public let line: String
        /// The request line and the header fields.
        public let header: String
        /// The body, as text.
        public let body: String
        /// Whether it is the first request of its connection.
        public internal(set) var isFirst = false
    }

    /// The port, which the system chose.
    public let port: UInt16
    private let descriptor: Int32
    private let answer: @Sendable (Request) -> [Step]
    private let log = Mutex<[Request]>([])
    private let accepted = Mutex(0)
    private let flooded = Mutex(0)
    private let stopped = Mutex(false)
    private let stall = AsyncStream.makeStream(of: Void.self)

    /// An element for each half second in which a flood cannot send; it ends with the flood.
    public var stalls: AsyncStream<Void> { stall.stream }

    /// The requests so far.
    public var requests: [Request] { log.withLock { $0 } }
    /// The number of connections that were opened.
    public var connectionCount: Int { accepted.withLock { $0 } }
    /// The number of blocks of a flood that the socket accepted.
    public var floodedBlockCount: Int { flooded.withLock { $0 } }
    /// The URL of the server, without a trailing slash.
    public var base: String { "http://127.0.0.1:\(port)" }

    /// Starts a server that calls `answer` for each request.
    public init(answer: @escaping @Sendable (Request) -> [Step]) throws {
        self.answer = answer
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(descriptor, pointer, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isBound else { throw Failure() }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
        Self.startThread { [self] in acceptAll() }
    }

    /// A failure to open the server's socket.
    public struct Failure: Error {}

    /// Stops accepting connections; open ones continue.
    public func stop() {
        stopped.withLock { isStopped in
            if !isStopped { shutdown(descriptor, Int32(SHUT_RDWR)) }
            isStopped = true
        }
    }

    private func acceptAll() {
        while true {
            let connection = accept(descriptor, nil, nil)
            guard connection >= 0 else {
                // Only the thread that uses the descriptor closes it. Otherwise its number could already belong to
                // another server, and this thread would accept that server's connections.
                close(descriptor)
                return
            }
            accepted.withLock { $0 += 1 }
            Self.startThread { [self] in serve(connection) }
        }
    }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        // Without it, the second part of an answer waits for the client's delayed acknowledgement of the first: 40 ms.
        var isOn: Int32 = 1
        unsafe setsockopt(
            connection, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        var pending: [UInt8] = []
        var isFirst = true
        while var request = Self.read(connection, &pending) {
            request.isFirst = isFirst
            isFirst = false
            log.withLock { $0.append(request) }
            for step in answer(request) {
                switch step {
                case .send(let text):
                    if !Self.write(connection, Array(text.utf8)) { return }
                case .sendBytes(let bytes):
                    if !Self.write(connection, bytes) { return }
                case .hang:
                    var byte: UInt8 = 0
                    while unsafe recv(connection, &byte, 1, 0) > 0 {}
                    return
                case .drip(let text):
                    // A poll without descriptors sleeps for a tenth of a second.
                    while Self.write(connection, Array(text.utf8)) { _ = poll(nil, 0, 100) }
                    return
                case .close: return
                case .reset:
                    var option = linger(l_onoff: 1, l_linger: 0)
                    unsafe setsockopt(
                        connection, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
                    return
                case .flood(let count, let size):
                    let block = [UInt8](repeating: 0x41, count: size)
                    for _ in 0..<count {
                        var readiness = pollfd(fd: connection, events: Int16(POLLOUT), revents: 0)
                        // One entry, which stays alive during the call.
                        if unsafe poll(&readiness, 1, 500) == 0 { stall.continuation.yield() }
                        if !Self.write(connection, block) { return }
                        flooded.withLock { $0 += 1 }
                    }
                    stall.continuation.finish()
                }
            }
        }
    }

    private static func read(_ connection: Int32, _ pending: inout [UInt8]) -> Request? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let end = pending.span.firstIndex(of: "\r\n\r\n")
            if end < pending.count {
                let header = String(decoding: pending[..<end], as: UTF8.self)
                let lines = header.split(separator: "\r\n")
                let length =
                    lines.first { $0.lowercased().hasPrefix("content-length:") }
                    .flatMap { Int($0.split(separator: ":")[1].drop { $0 == " " }) } ?? 0
                let headerCount = end + 4
                if pending.count >= headerCount + length {
                    let body = pending[headerCount..<(headerCount + length)]
                    pending.removeFirst(headerCount + length)
                    return Request(
                        line: String(lines.first ?? ""), header: header,
                        body: String(decoding: body, as: UTF8.self))
                }
            }
            let count = unsafe recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            pending.append(contentsOf: buffer[..<count])
        }
    }

    private static func write(_ connection: Int32, _ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe send(
                    connection, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return false }
            sent += count
        }
        return true
    }

    private static func startThread(_ body: @escaping @Sendable () -> Void) {
        final class Box: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        var thread = pthread_t()
        unsafe pthread_create(
            &thread, nil,
            { context in
                unsafe Unmanaged<Box>.fromOpaque(context!).takeRetainedValue().body()
                return nil
            }, Unmanaged.passRetained(Box(body)).toOpaque())
        pthread_detach(thread)
    }
}

/// Returns an answer with a body and its length.
public func response(_ status: String = "200 OK", headers: [String] = [], _ body: String = "")
    -> LoopbackServer.Step
{
    let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + headers
    return .send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
}
