import Glibc
import HostSystem
import Synchronization
import Testing

@testable import HTTPServing

/// The limits of a connection, by the time that a test passes.
@Suite struct OpenConnectionTests {
    private static func isOpen(_ socket: Int32) -> Bool {
        var byte: UInt8 = 0
        // The buffer has room for one byte. Zero is the end of the stream.
        return unsafe recv(socket, &byte, 1, Int32(MSG_DONTWAIT)) != 0
    }

    /// Two connected sockets: that of the server, and that of the client.
    private struct Pair: ~Copyable {
        let server: Int32
        let client: Int32

        init() throws {
            var sockets: [Int32] = [-1, -1]
            // The call writes two numbers.
            let result = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets)
            try #require(result == 0)
            (server, client) = (sockets[0], sockets[1])
        }

        deinit {
            Glibc.close(server)
            Glibc.close(client)
        }
    }

    @Test func eachPhase_endsAtItsOwnLimit() throws {
        var settings = HTTPServerSettings()
        (settings.headerSeconds, settings.bodySeconds, settings.keepAliveSeconds) = (10, 20, 30)
        let phases: [(phase: OpenConnection.Phase, seconds: Int?)] = [
            (.header(since: .seconds(100)), 10), (.body(since: .seconds(100)), 20),
            (.idle(since: .seconds(100)), 30), (.answer(since: .seconds(100)), nil),
        ]
        for (phase, seconds) in phases {
            let sockets = try Pair()
            let connection = OpenConnection(socket: sockets.server, at: .seconds(100))
            connection.enter(phase)
            let limit = Duration.seconds(100 + (seconds ?? 100_000))
            connection.endIfOverdue(at: limit, settings)
            #expect(Self.isOpen(sockets.client) && connection.endingOrder != nil)
            guard seconds != nil else { continue }
            connection.endIfOverdue(at: limit + .seconds(1), settings)
            #expect(!Self.isOpen(sockets.client) && connection.endingOrder == nil)
        }
    }

    /// Another connection may have the socket's number by then.
    @Test func connectionThatIsClosed_leavesItsSocketAlone() throws {
        let sockets = try Pair()
        let connection = OpenConnection(socket: sockets.server, at: .zero)
        connection.close()
        connection.end()
        connection.endIfOverdue(at: .seconds(100_000), HTTPServerSettings())
        #expect(connection.endingOrder == nil)
        #expect(Self.isOpen(sockets.client))
    }

    /// A client that has read everything is idle, until the next request brings an answer that it does not read.
    @Test func answerUnreadAfterARequest_thatFollowsOneThatWasRead_endsConnection() throws {
        var settings = HTTPServerSettings()
        (settings.keepAliveSeconds, settings.idleSeconds) = (1_000, 30)
        let sockets = try Pair()
        let connection = OpenConnection(socket: sockets.server, at: .zero)
        connection.enter(.idle(since: .seconds(1)))
        connection.endIfOverdue(at: .seconds(2), settings)
        #expect(connection.endingOrder != nil)
        connection.enter(.answer(since: .seconds(500)))
        // The array has the bytes.
        let count = unsafe send(sockets.server, [UInt8](repeating: 0, count: 100), 100, 0)
        #expect(count == 100)
        connection.endIfOverdue(at: .seconds(501), settings)
        #expect(connection.endingOrder != nil)
        connection.endIfOverdue(at: .seconds(530), settings)
        #expect(connection.endingOrder != nil)
        connection.endIfOverdue(at: .seconds(531), settings)
        #expect(connection.endingOrder == nil)
    }

    /// One more ends the one that has waited longest; those that are ending do not count.
    @Test func connectionsAboveTheLimit_endOneEach() throws {
        var settings = HTTPServerSettings()
        settings.maximumConnectionCount = 2
        let first = try Pair()
        let second = try Pair()
        let third = try Pair()
        let fourth = try Pair()
        let open = OpenConnections(settings)
        let opened = [open.open(socket: first.server), open.open(socket: second.server)]
        open.beginRequest(opened[0])
        open.beginAnswer(opened[0])
        _ = open.open(socket: third.server)
        #expect(Self.isOpen(first.client) && !Self.isOpen(second.client) && Self.isOpen(third.client))
        open.close(opened[1])
        open.endRequest(opened[0])
        let last = open.open(socket: fourth.server)
        #expect(Self.isOpen(first.client) && !Self.isOpen(third.client) && Self.isOpen(fourth.client))
        #expect(last.endingOrder?.group == 0)
    }
}
