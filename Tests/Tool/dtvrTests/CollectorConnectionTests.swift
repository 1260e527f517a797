import Foundation
import Glibc
import HTTPTransfer
import TestSupport
import Testing

/// The connections that a collector keeps open: those of a team with a ledger are many, and most of them are idle.
@Suite(.serialized, .timeLimit(.minutes(30))) struct CollectorConnectionTests {
    /// Opens connections, and returns how many of them the collector has closed once it answers a later request.
    ///
    /// It also closes a connection that sends no header for 10 s, so a slow attempt is repeated.
    private static func closedCount(of count: Int, at collector: RunningCollector) async throws -> Int {
        let port = try #require(URL(string: collector.url)?.port)
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "test"))
        while true {
            let start = ContinuousClock.now
            let sockets = (0..<count).map { _ in connection(to: UInt16(port)) }
            defer { for socket in sockets { close(socket) } }
            #expect(sockets.allSatisfy { $0 >= 0 })
            _ = try await client.send(HTTPRequest(url: collector.url + "healthz"))
            let closed = sockets.count { socket in
                var readiness = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
                // One entry, which stays alive during the call.
                return unsafe poll(&readiness, 1, 0) == 1
            }
            if ContinuousClock.now - start < .seconds(8) { return closed }
        }
    }

    private static func connection(to port: UInt16) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let code = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                // The call gets the structure's size, and reads it only while it runs.
                unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return code == 0 ? socket : -1
    }

    /// The last request is one more connection.
    @Test func collectorWithFiles_keeps64Connections() async throws {
        let folder = try TemporaryFolder()
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        #expect(try await Self.closedCount(of: 63, at: collector) == 0)
        #expect(try await Self.closedCount(of: 70, at: collector) >= 6)
        await collector.stop()
    }

    /// The database is not needed for that.
    @Test func collectorWithALedger_keeps256Connections() async throws {
        let folder = try TemporaryFolder()
        let collector = try await RunningCollector.start(
            ledger: "postgres://127.0.0.1:1/none", home: folder.path, [])
        #expect(try await Self.closedCount(of: 255, at: collector) == 0)
        #expect(try await Self.closedCount(of: 262, at: collector) >= 6)
        await collector.stop()
    }
}
