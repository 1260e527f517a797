import Glibc
import HTTPServing
import HTTPTransfer
import Synchronization
import TestSupport
import Testing

/// Stalled clients of every kind do not block other clients, and the server closes their connections.
@Suite(.timeLimit(.minutes(30))) struct OpenConnectionsTests {
    /// Answers at once: `/large` with more data than the socket buffers hold, `/stream` without an end.
    private final class Site: RequestHandler {
        private let path: String
        private let ended: Ended?
        init(_ request: HTTPServerRequest, _ ended: Ended? = nil) {
            path = request.path
            self.ended = ended
        }
        deinit { ended?.count.add(1, ordering: .relaxed) }
        func receive(_ bytes: Span<UInt8>) -> RequestStep { .proceed }
        func finish() -> RequestStep {
            let size = path == "/large" ? 32 << 20 : 2
            let answer = HTTPServerAnswer(
                status: 200, type: "text/plain", body: [UInt8](repeating: 0x61, count: size))
            switch path {
            case "/stream": return .stream(answer, Endless())
            case "/events": return .stream(answer, Events(ended))
            case "/endless-events": return .stream(answer, Events(ended, maximumCount: .max))
            default: return .answer(answer)
            }
        }
    }

    /// The number of requests that have ended.
    private final class Ended: Sendable {
        let count = Atomic(0)
        /// Whether a stream of events was sent to its end.
        let hasSentAll = Atomic(false)
    }

    private final class Endless: AnswerStream {
        var byteCount: Int? { nil }
        func nextPiece(waitingAtMost limit: Duration) -> [UInt8]? { [UInt8](repeating: 0x61, count: 1 << 16) }
    }

    /// Fills the client's window, and then sends a few bytes at a time, which the server's socket accepts.
    private final class Events: AnswerStream {
        private var count = 0
        private let ended: Ended?
        private let maximumCount: Int
        var byteCount: Int? { nil }

        /// Creates a stream that ends by itself after two minutes, or after another number of pieces.
        init(_ ended: Ended?, maximumCount: Int = 2_400) {
            self.ended = ended
            self.maximumCount = maximumCount
        }

        func nextPiece(waitingAtMost limit: Duration) -> [UInt8]? {
            count += 1
            guard count < maximumCount else {
                ended?.hasSentAll.store(true, ordering: .relaxed)
                return nil
            }
            if count > 100 { _ = poll(nil, 0, 50) }
            return [UInt8](repeating: 0x61, count: count > 100 ? 10 : 4_096)
        }
    }

    private static func server(_ change: (inout HTTPServerSettings) -> Void = { _ in }) throws -> HTTPServer {
        var settings = HTTPServerSettings()
        change(&settings)
        return try HTTPServer(settings) { Site($0) }
    }

    /// The ways in which a client stalls.
    private static let requests = [
        "", "GET / HTTP/1.1\r\nHost: a\r\nX: ", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nx",
        "GET /large HTTP/1.1\r\nHost: a\r\n\r\n", "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    ]

    /// No time limit is reached, so the server must close stalled connections to make room.
    @Test(arguments: requests) func stalledClients_areClosedToAdmitOthers(request: String) async throws {
        let server = try Self.server { settings in
            settings.headerSeconds = 86_400
            settings.bodySeconds = 86_400
            settings.keepAliveSeconds = 86_400
            settings.idleSeconds = 86_400
        }
        let clients = try (0..<64).map { _ in try RawClient(server.port, sending: request) }
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "test/1.0"))
        for _ in 0..<5 {
            let answer = try await client.send(
                HTTPRequest(.get, url: "http://127.0.0.1:\(server.port)/healthz"))
            #expect(answer.status == 200)
        }
        withExtendedLifetime(clients) {}
    }

    /// The time limit of a header or a body applies even if the client sends a byte occasionally.
    @Test(arguments: requests.prefix(3)) func requestThatNeverEnds_isClosedAtItsTimeLimit(request: String)
        async throws
    {
        let server = try Self.server { settings in
            settings.headerSeconds = 1
            settings.bodySeconds = 1
        }
        let client = try RawClient(server.port, sending: request)
        try await wait(for: "the end of \(request)") {
            if !request.isEmpty { client.send("x") }
            return client.isClosed
        }
    }

    /// As many clients as the limit permits stay connected.
    ///
    /// One more closes the oldest of those that wait.
    @Test func clientBeyondTheLimit_closesTheOldest() async throws {
        let server = try Self.server { settings in
            #expect(settings.maximumConnectionCount == 64)
            settings.headerSeconds = 86_400
            settings.idleSeconds = 86_400
        }
        let clients = try (0..<64).map { _ in try RawClient(server.port, sending: "") }
        let last = try RawClient(server.port, sending: "")
        try await wait(for: "the end of the oldest") { clients[0].isClosed }
        #expect(clients.dropFirst().allSatisfy { !$0.isClosed } && !last.isClosed)
    }

    /// A server that keeps answers closes a connection that waits for a request, or else the new one.
    @Test(arguments: [63, 64])
    func clientBeyondTheLimit_closesNoStream_ifAnswersAreKept(streamCount: Int) async throws {
        let server = try Self.server { settings in
            settings.keepsAnswers = true
            settings.headerSeconds = 86_400
            settings.idleSeconds = 86_400
        }
        let request = "GET /endless-events HTTP/1.1\r\nHost: a\r\n\r\n"
        let streams = try (0..<streamCount).map { _ in try RawClient(server.port, sending: request) }
        let waiting = try (streamCount..<64).map { _ in try RawClient(server.port, sending: "") }
        try await wait(for: "the streams") { streams.allSatisfy(\.hasReceived) }
        let last = try RawClient(server.port, sending: "")
        try await wait(for: "the end of a connection") { (waiting.first ?? last).isClosed }
        #expect(streams.allSatisfy { !$0.isClosed })
        #expect(last.isClosed == waiting.isEmpty)
    }

    /// A client that received an answer and sends no further request.
    @Test func idleClient_isDisconnected() async throws {
        let server = try Self.server { settings in
            settings.keepAliveSeconds = 1
            settings.idleSeconds = 86_400
        }
        let client = try RawClient(server.port, sending: "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        try await wait(for: "the end of an idle client") { client.isClosed }
        withExtendedLifetime(server) {}
    }

    /// The client cannot detect this, because the end comes after data that it has not read.
    @Test(arguments: ["/large", "/stream"]) func responseNeverRead_isAborted(path: String) async throws {
        var settings = HTTPServerSettings()
        settings.idleSeconds = 1
        let ended = Ended()
        let server = try HTTPServer(settings) { Site($0, ended) }
        let client = try RawClient(server.port, sending: "GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
        try await wait(for: "the end of \(path)") { ended.count.load(ordering: .relaxed) == 1 }
        withExtendedLifetime((server, client)) {}
    }

    /// The server can send to this client all the time, so that libmicrohttpd never finds it idle.
    @Test func streamNeverRead_isAbortedWhileItContinues() async throws {
        var settings = HTTPServerSettings()
        settings.idleSeconds = 1
        let ended = Ended()
        let server = try HTTPServer(settings) { Site($0, ended) }
        let client = try RawClient(server.port, sending: "GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
        try await wait(for: "the end of the stream") { ended.count.load(ordering: .relaxed) == 1 }
        let hasSentAll = ended.hasSentAll.load(ordering: .relaxed)
        #expect(!hasSentAll)
        withExtendedLifetime((server, client)) {}
    }

    /// A client that reads slowly but continuously is not disconnected.
    @Test func responseReadSlowly_continues() async throws {
        let server = try Self.server { $0.idleSeconds = 2 }
        try await wait(for: "five seconds of steady reading") {
            let client = try RawClient(server.port, sending: "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            let start = ContinuousClock.now
            var last = start
            while start.duration(to: last) < .seconds(5) {
                let isClosed = client.isClosed
                // On a busy machine, this thread may not run for as long as the server waits; then it begins again.
                if last.duration(to: .now) > .seconds(1) { return false }
                last = .now
                #expect(!isClosed)
                _ = poll(nil, 0, 10)
            }
            return true
        }
    }

    /// A request in progress is completed, and new connections are refused.
    @Test func stoppingServer_refusesNewConnections() throws {
        let server = try Self.server()
        let before = try RawClient(server.port, sending: "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        server.stopListening(waitingAtMost: .seconds(10))
        #expect(throws: RawClient.Refused.self) { try RawClient(server.port, sending: "") }
        withExtendedLifetime(before) {}
    }
}
