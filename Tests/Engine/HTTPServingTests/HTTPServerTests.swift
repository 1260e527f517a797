import HTTPServing
import HTTPTransfer
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(30))) struct HTTPServerTests {
    /// Answers with the parts of the request, and drops the requests for `/drop` and those with an endless body.
    private final class Echo: RequestHandler {
        private let request: HTTPServerRequest
        private var body: BoundedBody

        init(_ request: HTTPServerRequest) {
            self.request = request
            body = BoundedBody(maximumByteCount: 1_000, expecting: request.contentLength)
        }

        func receive(_ bytes: Span<UInt8>) -> RequestStep {
            body.append(bytes)
            return body.state == .endless ? .drop : .proceed
        }

        func finish() -> RequestStep {
            if request.path == "/drop" { return .drop }
            guard body.state == .complete else {
                return .answer(.init(status: 413, type: "text/plain", body: Array("too large".utf8)))
            }
            let text = [
                request.method, request.path, request[parameter: "q"] ?? "-",
                request[parameter: "none"] ?? "-",
                request[field: "x-test"] ?? "-", String(decoding: body.bytes, as: UTF8.self),
            ].joined(separator: "|")
            return .answer(
                .init(
                    status: 201, type: "text/plain", fields: [.init(name: "X-Echo", value: "yes")],
                    body: Array(text.utf8)))
        }
    }

    private let client: HTTPClient

    init() throws { client = try HTTPClient(settings: HTTPClientSettings(userAgent: "test/1.0")) }

    private func server(_ change: (inout HTTPServerSettings) -> Void = { _ in }) throws -> HTTPServer {
        var settings = HTTPServerSettings()
        change(&settings)
        return try HTTPServer(settings) { Echo($0) }
    }

    private func send(
        _ server: HTTPServer, _ path: String, _ method: HTTPRequest.Method = .get
    ) async throws -> HTTPResponse {
        var request = HTTPRequest(method, url: "http://127.0.0.1:\(server.port)\(path)")
        request.headers.append("X-Test", "a value")
        return try await client.send(request)
    }

    @Test func request_isParsedIntoItsParts_andAnswered() async throws {
        let server = try server()
        let answer = try await send(server, "/a%20b?q=1%202&flag&none")
        #expect(String(decoding: answer.body, as: UTF8.self) == "GET|/a b|1 2||a value|")
        #expect(answer.status == 201)
        #expect(answer.headers["x-echo"] == "yes" && answer.headers["content-type"] == "text/plain")
        let posted = try await send(server, "/", .post(body: Array("the body".utf8)))
        #expect(String(decoding: posted.body, as: UTF8.self) == "POST|/|-|-|a value|the body")
    }

    @Test func body_overTheLimit_isReadToItsEnd_andRejected() async throws {
        let server = try server()
        let body = [UInt8](repeating: 0x61, count: 1_000)
        #expect(try await send(server, "/", .post(body: body)).status == 201)
        #expect(try await send(server, "/", .post(body: body + body)).status == 413)
    }

    @Test func body_farOverTheLimit_closesTheConnection() async throws {
        let server = try server()
        let body = [UInt8](repeating: 0x61, count: 1 << 20)
        await #expect(throws: HTTPTransferError.self) { try await send(server, "/", .post(body: body)) }
    }

    @Test func request_droppedByItsHandler_closesTheConnection() async throws {
        let server = try server()
        await #expect(throws: HTTPTransferError.self) { try await send(server, "/drop") }
        #expect(try await send(server, "/").status == 201)
    }

    @Test func concurrentRequests_areAllAnswered() async throws {
        let server = try server()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<50 { group.addTask { try await send(server, "/\(number)").status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == [Int](repeating: 201, count: 50))
    }

    @Test func stoppedServer_acceptsNoConnections() async throws {
        let server = try server()
        #expect(try await send(server, "/").status == 201)
        server.stopListening(waitingAtMost: .seconds(10))
        let other = try HTTPClient(settings: HTTPClientSettings(userAgent: "test/1.0"))
        let request = HTTPRequest(url: "http://127.0.0.1:\(server.port)/")
        await #expect(throws: HTTPTransferError.self) { try await other.send(request) }
    }

    @Test func unusableSettings_areErrors() throws {
        #expect(throws: HTTPServingError.invalidAddress("localhost")) {
            try server { $0.address = "localhost" }
        }
        let first = try server()
        #expect(throws: HTTPServingError.inUse(address: "127.0.0.1", port: first.port)) {
            try server { $0.port = first.port }
        }
        #expect(HTTPServerSettings.TLSIdentity(certificate: [], privateKey: [1]) == nil)
        #expect(HTTPServerSettings.TLSIdentity(certificate: [1, 0], privateKey: [1]) == nil)
        let identity = try #require(HTTPServerSettings.TLSIdentity(certificate: [1], privateKey: [1]))
        #expect(throws: HTTPServingError.notListening(address: "127.0.0.1", port: 0)) {
            try server { $0.identity = identity }
        }
    }
}

@Suite(.timeLimit(.minutes(30))) struct BoundedBodyTests {
    @Test func boundedBody_overItsLimit_isDiscardedButCounted() {
        var body = BoundedBody(maximumByteCount: 4, expecting: 1_000_000)
        body.append([1, 2, 3].span)
        body.append([4].span)
        #expect(body.bytes == [1, 2, 3, 4] && body.state == .complete && body.receivedCount == 4)
        body.append([5].span)
        #expect(body.bytes.isEmpty && body.state == .tooLarge && body.receivedCount == 5)
        body.append([UInt8](repeating: 0, count: 27).span)
        #expect(body.state == .tooLarge)
        body.append([6].span)
        #expect(body.state == .endless && body.bytes.isEmpty)
    }

    @Test func unwantedBytes_areCounted_butNotStored() {
        var body = BoundedBody(maximumByteCount: 4)
        body.append([1, 2].span, isWanted: false)
        #expect(body.bytes.isEmpty && body.state == .complete && body.receivedCount == 2)
    }

    @Test func boundedBody_withAnExtremeLimit_doesNotOverflow() {
        var body = BoundedBody(maximumByteCount: .max)
        body.append([1].span)
        #expect(body.state == .complete)
        #expect(BoundedBody(maximumByteCount: 0, expecting: -5).state == .complete)
    }
}
