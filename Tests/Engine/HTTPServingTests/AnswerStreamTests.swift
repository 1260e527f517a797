import HTTPServing
import HTTPTransfer
import HostSystem
import Synchronization
import TestSupport
import Testing

/// Bodies that are sent in pieces.
@Suite(.timeLimit(.minutes(30))) struct AnswerStreamTests {
    /// The pieces of a body, and whether its stream was released.
    private final class Source: Sendable {
        struct State {
            var pieces: [[UInt8]] = []
            var isEnded = false
            var isReleased = false
        }

        let state: Mutex<State>
        let byteCount: Int?

        init(_ pieces: [[UInt8]] = [], byteCount: Int? = nil, isEnded: Bool = false) {
            state = Mutex(State(pieces: pieces, isEnded: isEnded))
            self.byteCount = byteCount
        }

        var isReleased: Bool { state.withLock(\.isReleased) }

        func send(_ text: String) { state.withLock { $0.pieces.append(Array(text.utf8)) } }
        func end() { state.withLock { $0.isEnded = true } }
    }

    private final class Stream: AnswerStream {
        let source: Source

        init(_ source: Source) { self.source = source }
        deinit { source.state.withLock { $0.isReleased = true } }

        var byteCount: Int? { source.byteCount }

        func nextPiece(waitingAtMost limit: Duration) -> [UInt8]? {
            let next = source.state.withLock { state -> [UInt8]? in
                state.pieces.isEmpty ? (state.isEnded ? nil : []) : state.pieces.removeFirst()
            }
            // No signal arrives, so this waits for a moment.
            if next == [] { _ = Semaphore().wait(atMost: min(limit, .milliseconds(5))) }
            return next
        }
    }

    private final class Handler: RequestHandler {
        let source: Source
        init(_ source: Source) { self.source = source }
        func receive(_ bytes: Span<UInt8>) -> RequestStep { .proceed }
        func finish() -> RequestStep {
            .stream(.init(status: 200, type: "text/event-stream", body: []), Stream(source))
        }
    }

    private let client: HTTPClient

    init() throws { client = try HTTPClient(settings: HTTPClientSettings(userAgent: "test/1.0")) }

    private func server(_ source: Source) throws -> HTTPServer {
        var settings = HTTPServerSettings()
        // The limit is long because a busy machine may delay the test.
        settings.idleSeconds = 600
        return try HTTPServer(settings) { _ in Handler(source) }
    }

    private func request(_ server: HTTPServer) -> HTTPRequest {
        var request = HTTPRequest(url: "http://127.0.0.1:\(server.port)/")
        // The limit is long because a busy machine may delay the test.
        request.timeLimits.lowSpeedSeconds = 600
        return request
    }

    @Test(arguments: [nil, 140_003])
    func body_inPiecesOfAnySize_arrivesComplete(byteCount: Int?) async throws {
        let pieces = [1, 32 << 10, 0, 7_234, 100_000].map { [UInt8](repeating: UInt8($0 & 0xFF), count: $0) }
        let source = Source(pieces, byteCount: byteCount, isEnded: true)
        let server = try server(source)
        defer { withExtendedLifetime(server) {} }
        let answer = try await client.send(request(server))
        #expect(answer.status == 200 && answer.headers["content-type"] == "text/event-stream")
        #expect(answer.headers["content-length"] == byteCount.map { "\($0)" })
        #expect(answer.body == pieces.flatMap(\.self))
        try await wait(for: "the stream to be let go") { source.isReleased }
    }

    /// The second event is created only after the client received the first, so the server must not wait for more data.
    @Test func event_isSentWithoutWaitingForTheNext() async throws {
        let source = Source()
        let server = try server(source)
        defer { withExtendedLifetime(server) {} }
        source.send("data: one\n\n")
        let stream = try await client.stream(request(server))
        #expect(try await stream.next() == Array("data: one\n\n".utf8))
        source.send("data: two\n\n")
        #expect(try await stream.next() == Array("data: two\n\n".utf8))
        source.end()
        #expect(try await stream.next() == nil)
    }

    /// The server ends a body that is shorter than its declared size, and one without an end.
    @Test(arguments: [nil, 100])
    func stoppingServer_endsResponsesInProgress(byteCount: Int?) async throws {
        let source = Source(byteCount: byteCount)
        let server = try server(source)
        defer { withExtendedLifetime(server) {} }
        source.send("data: one\n\n")
        let stream = try await client.stream(request(server))
        #expect(try await stream.next()?.count == 11)
        _ = try await onOwnThread { server.stopListening(waitingAtMost: .seconds(60)) }
        try await wait(for: "the stream to be let go") { source.isReleased }
        await #expect(throws: HTTPTransferError.self) { try await stream.next() }
    }

    @Test func disconnectedClient_releasesTheStream() async throws {
        let source = Source()
        let server = try server(source)
        defer { withExtendedLifetime(server) {} }
        source.send("data: one\n\n")
        let stream = try await client.stream(request(server))
        #expect(try await stream.next()?.count == 11)
        stream.cancel()
        try await wait(for: "the stream to be let go") {
            // The server detects a closed connection when it sends data.
            source.send(": still there\n\n")
            return source.isReleased
        }
    }
}
