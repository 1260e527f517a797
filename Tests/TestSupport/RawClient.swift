import Glibc

/// A client that sends bytes unchanged.
public final class RawClient: Sendable {
    /// The server refuses connections.
    public struct Refused: Error {}

    private let number: Int32

    /// Connects to a port of the loopback interface, and sends a text.
    public init(_ port: UInt16, sending text: String) throws {
        number = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        // The structure is read during the call.
        let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe connect(number, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw Refused() }
        send(text)
    }

    deinit { close(number) }

    /// Sends a text.
    public func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Whether bytes from the server wait to be read.
    public var hasReceived: Bool {
        var byte: UInt8 = 0
        return unsafe recv(number, &byte, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)) > 0
    }

    /// Whether the server has closed the connection; discards the bytes received before that.
    public var isClosed: Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe recv(number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { continue }
            return count == 0 || errno == ECONNRESET
        }
    }

    /// Ends the sending side, and returns the bytes that arrive until the server closes the connection.
    public func finish() async throws -> [UInt8] {
        shutdown(number, Int32(SHUT_WR))
        let number = number
        return try await onOwnThread {
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = unsafe recv(number, &buffer, buffer.count, 0), count > 0 {
                bytes += buffer[..<count]
            }
            return bytes
        }
    }
}
