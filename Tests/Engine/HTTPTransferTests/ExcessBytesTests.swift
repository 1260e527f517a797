import HTTPTransfer
import Synchronization
import TestSupport
import Testing

/// Bytes that a server sends after the end of a response, and that the next request of the connection receives.
@Suite(.timeLimit(.minutes(30))) struct ExcessBytesTests {
    /// Bytes that are no response.
    private static let excesses: [[UInt8]] = [
        Array("excess\r\n".utf8), Array("x".utf8), Array("0\r\n\r\n".utf8), Array("\r\n\r\n".utf8),
        Array("<html></html>\n".utf8), Array("HTTP/9.9 200 OK\r\n\r\n".utf8),
        Array("HTTP/1.1 200 OK\r\nno field\r\n\r\n".utf8),
        [0x47, 0x40, 0x11, 0x10] + [UInt8](repeating: 0xFF, count: 184), [0, 0, 0, 0],
    ]

    /// Starts a server that sends `excess` before its first answer to `/second`.
    private func server(
        sending excess: [UInt8], first: LoopbackServer.Step = response()
    ) throws -> LoopbackServer {
        let isSent = Mutex(false)
        return try LoopbackServer { request in
            if request.target == "/first" { return [first] }
            let answer = response("200 OK", request.line)
            guard request.target == "/second" else { return [answer] }
            let wasSent = isSent.withLock { isSent in
                defer { isSent = true }
                return isSent
            }
            return wasSent ? [answer] : [.sendBytes(excess), answer]
        }
    }

    @Test(arguments: excesses, [true, false])
    func bytesAfterABody_costTheNextRequestAConnectionOnly(excess: [UInt8], isStreamed: Bool) async throws {
        let server = try server(sending: excess)
        defer { server.stop() }
        let client = try testClient()
        for target in ["/first", "/second", "/third"] {
            let request = HTTPRequest(url: server.base + target)
            if isStreamed {
                let stream = try await client.stream(request)
                var body: [UInt8] = []
                while let chunk = try await stream.next() { body += chunk }
                #expect(target == "/first" || body == Array("GET \(target) HTTP/1.1".utf8))
            } else {
                let answer = try await client.send(request)
                #expect(answer.status == 200)
                #expect(target == "/first" || answer.body == Array("GET \(target) HTTP/1.1".utf8))
            }
        }
        #expect(server.requests.map(\.target) == ["/first", "/second", "/second", "/third"])
        #expect(server.connectionCount == 2)
    }

    @Test func bytesAfterEachBody_failNoRequest() async throws {
        let server = try LoopbackServer { request in
            (request.isFirst ? [] : [.send("excess")]) + [response("200 OK", request.line)]
        }
        defer { server.stop() }
        let client = try testClient()
        for index in 0..<50 {
            let answer = try await client.send(HTTPRequest(url: "\(server.base)/\(index)"))
            #expect(answer.body == Array("GET /\(index) HTTP/1.1".utf8))
        }
        // Each request but the first one finds the connection of the one before.
        #expect(server.requests.count == 99 && server.connectionCount == 50)
    }

    @Test func bytesAfterARedirect_costAConnectionOnly() async throws {
        let server = try server(
            sending: Array("excess".utf8), first: response("302 Found", headers: ["Location: /second"]))
        defer { server.stop() }
        let answer = try await testClient().send(HTTPRequest(url: server.base + "/first"))
        #expect(answer.body == Array("GET /second HTTP/1.1".utf8))
        #expect(server.requests.map(\.target) == ["/first", "/second", "/first", "/second"])
    }

    @Test func post_afterBytesOfAnotherBody_failsAndIsNotRepeated() async throws {
        let server = try server(sending: Array("excess\r\n".utf8))
        defer { server.stop() }
        let client = try testClient()
        _ = try await client.send(HTTPRequest(url: server.base + "/first"))
        let request = HTTPRequest(.post(body: [1]), url: server.base + "/second")
        let error = await #expect(throws: HTTPTransferError.self) { try await client.send(request) }
        #expect(error?.kind == .malformedResponse)
        #expect(server.requests.count == 2)
    }

    @Test func serverWithoutHTTP_isAskedOnce_andTwiceOnAnOpenConnection() async throws {
        let server = try LoopbackServer { $0.target == "/first" ? [response()] : [.send("SSH-2.0-Test\r\n")] }
        defer { server.stop() }
        let client = try testClient()
        func ask() async {
            let error = await #expect(throws: HTTPTransferError.self) {
                try await client.send(HTTPRequest(url: server.base + "/second"))
            }
            #expect(error?.kind == .malformedResponse)
        }
        await ask()
        #expect(server.requests.count == 1)
        #expect(try await client.send(HTTPRequest(url: server.base + "/first")).status == 200)
        await ask()
        #expect(server.requests.count == 4)
    }

    @Test func redirectToAnotherScheme_onAnOpenConnection_isNotRepeated() async throws {
        let server = try LoopbackServer { request in
            [
                request.target == "/first"
                    ? response() : response("302 Found", headers: ["Location: ftp://h/a"])
            ]
        }
        defer { server.stop() }
        let client = try testClient()
        _ = try await client.send(HTTPRequest(url: server.base + "/first"))
        let error = await #expect(throws: HTTPTransferError.self) {
            try await client.send(HTTPRequest(url: server.base + "/second"))
        }
        #expect(error?.kind == .redirectRefused)
        #expect(server.requests.count == 2 && server.connectionCount == 1)
    }
}
