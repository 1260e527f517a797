import Foundation
import Glibc
import TestSupport
import Testing

/// A service that is stopped while a client stands still in the middle of a request: it ends by itself, because its
/// servers wait for requests in progress for a second only.
@Suite(.timeLimit(.minutes(30))) struct StandingPeerTests {
    /// A client that announces a body, and sends nothing of it.
    private final class StandingClient: Sendable {
        /// No connection.
        struct Refused: Error {}

        private let number: Int32

        /// Connects to a port of the loopback interface.
        init(port: UInt16) throws {
            number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            try begin(with: &address)
        }

        /// Connects to a socket in the file system.
        init(path: String) throws {
            number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { throw Refused() }
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
            try begin(with: &address)
        }

        deinit { close(number) }

        private func begin<Address>(with address: inout Address) throws {
            let number = number
            // The call gets the structure's size, and reads it only while it runs.
            let code = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe connect(number, $0, socklen_t(MemoryLayout<Address>.size))
                }
            }
            guard code == 0 else { throw Refused() }
            let fields = "Host: 127.0.0.1\r\nContent-Length: 100\r\nExpect: 100-continue"
            let bytes = Array("POST /buffer HTTP/1.1\r\n\(fields)\r\n\r\n".utf8)
            guard unsafe send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
                throw Refused()
            }
        }

        /// Whether the server waits for the body: it has answered `100 Continue`, and nothing after that.
        var isAwaited: Bool {
            var bytes = [UInt8](repeating: 0, count: 1_024)
            let count = unsafe recv(number, &bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK))
            return count > 0 && bytes[..<count].starts(with: Array("HTTP/1.1 100 ".utf8))
        }
    }

    @Test func monitorServer_whoseClientStandsStill_ends() async throws {
        let folder = try TemporaryFolder()
        let monitor = try await RunningMonitor.start(["http://127.0.0.1:9/a.m3u8"], in: folder)
        let port = try #require(URL(string: monitor.url)?.port)
        let client = try StandingClient(port: UInt16(port))
        try await wait(for: "the request") { client.isAwaited }
        #expect(await monitor.stop() == 0, "\(monitor.errors)")
    }

    @Test func bufferSocket_whoseClientStandsStill_ends() async throws {
        let folder = try TemporaryFolder()
        let monitor = try await RunningMonitor.start(["http://127.0.0.1:9/a.m3u8"], in: folder)
        let client = try StandingClient(path: folder.path + "/store/buffer.sock")
        try await wait(for: "the request") { client.isAwaited }
        #expect(await monitor.stop() == 0, "\(monitor.errors)")
    }

    @Test func liveServer_whoseClientStandsStill_ends() async throws {
        let station = try await RunningStation.start()
        let port = try #require(URL(string: station.urls[0])?.port)
        let client = try StandingClient(port: UInt16(port))
        try await wait(for: "the request") { client.isAwaited }
        #expect(await station.stop() == 0)
    }
}
