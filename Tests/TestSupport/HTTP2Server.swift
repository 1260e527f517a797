import Foundation
import Glibc

/// A server for a folder that supports only HTTP/2 over TLS: nghttpd.
public final class HTTP2Server: Sendable {
    /// The path of nghttpd in Debian 12.
    private static let program = "/usr/sbin/nghttpd"
    private let process: ChildProcess

    /// Whether nghttpd is installed.
    public static let isAvailable = FileManager.default.isExecutableFile(atPath: program)

    /// The URL of the server, without a trailing slash.
    public let base: String

    /// Starts a server for a folder; `identity` is a PEM file with a certificate and its key.
    public init(_ folder: String, identity: String) async throws {
        let port = try Self.freePort()
        let null = FileHandle(forUpdatingAtPath: "/dev/null")
        let descriptor = null?.fileDescriptor ?? 0
        process = try ChildProcess(
            Self.program, ["--address=127.0.0.1", "--htdocs=\(folder)", "\(port)", identity, identity],
            input: descriptor, output: descriptor, errors: descriptor)
        base = "https://127.0.0.1:\(port)"
        try await wait(for: "nghttpd") { [process] in process.hasEnded || Self.isListening(port) }
    }

    deinit { process.killAndWait() }

    /// Returns an unused port.
    private static func freePort() throws -> UInt16 {
        let server = try LoopbackServer { _ in [] }
        defer { server.stop() }
        return UInt16(server.port)
    }

    private static func isListening(_ port: UInt16) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(socket) }
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                // The call gets the structure's size, and reads it only while it runs.
                unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
