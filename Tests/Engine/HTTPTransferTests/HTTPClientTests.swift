import ByteReading
import Glibc
import TestSupport
import Testing

@testable import HTTPTransfer

@Suite(.timeLimit(.minutes(30))) struct HTTPClientTests {
    @Test func get_returnsStatusHeadersAndBody() async throws {
        let server = try LoopbackServer { _ in
            [
                response(
                    headers: ["Content-Type:  text/plain ", "Date: Sun, 06 Nov 1994 08:49:37 GMT"], "hello")
            ]
        }
        defer { server.stop() }
        let answer = try await testClient().send(HTTPRequest(url: server.base + "/a?b=c"))
        #expect(answer.status == 200 && answer.head.isSuccess)
        #expect(answer.body == Array("hello".utf8) && !answer.isTruncated)
        #expect(answer.headers["content-TYPE"] == "text/plain")
        #expect(answer.headers.date == 784_111_777)
        #expect(answer.url == server.base + "/a?b=c")
        #expect(answer.head.remoteAddress == SocketAddress("127.0.0.1"))
        let request = try #require(server.requests.first)
        #expect(request.line == "GET /a?b=c HTTP/1.1")
        #expect(request.header.contains("User-Agent: dtvr/0.0-test"))
        #expect(!request.header.lowercased().contains("accept-encoding"))
    }

    @Test(arguments: ["404 Not Found", "500 Oops", "204 No Content", "304 Not Modified", "299 Odd", "599 X"])
    func response_withAnyStatus_isNotAnError(status: String) async throws {
        let server = try LoopbackServer { _ in [response(status)] }
        defer { server.stop() }
        let answer = try await testClient().send(HTTPRequest(url: server.base))
        #expect(status.hasPrefix(String(answer.status)))
    }

    @Test(arguments: [(8, 256), (64, 6)])
    func concurrentRequests_getTheirOwnResponses_withinTheConnectionLimits(perHost: Int, inAll: Int)
        async throws
    {
        let server = try LoopbackServer { [response("200 OK", $0.line)] }
        defer { server.stop() }
        let client = try testClient {
            $0.maximumConnectionCountPerHost = perHost
            $0.maximumConnectionCount = inAll
        }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<200 {
                group.addTask {
                    let answer = try await client.send(HTTPRequest(url: "\(server.base)/\(index)"))
                    return String(decoding: answer.body, as: UTF8.self) == "GET /\(index) HTTP/1.1"
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(server.requests.count == 200)
        #expect(server.connectionCount <= min(perHost, inAll))
    }

    @Test func requestsOfManyOwners_oneAfterTheOther_shareConnections() async throws {
        let server = try LoopbackServer { [response("200 OK", $0.line)] }
        defer { server.stop() }
        let client = try testClient()
        let owners = (0..<64).map { _ in TransferOwner(share: 1) }
        for index in 0..<3 {
            for owner in owners {
                var request = HTTPRequest(url: "\(server.base)/\(index)")
                request.owner = owner
                #expect(try await client.send(request).head.status == 200)
            }
        }
        // Each of 16 handles has one. On a loaded machine, libcurl may find it too old in the next round.
        #expect(server.connectionCount < owners.count)
    }

    @Test(arguments: [0, 1, 1_023, 1_025, 70_000, 1 << 20])
    func post_ofAnySize_arrivesCompleteWithoutExpect(size: Int) async throws {
        let server = try LoopbackServer { [response("200 OK", String($0.body.utf8.count))] }
        defer { server.stop() }
        var request = HTTPRequest(.post(body: [UInt8](repeating: 0x61, count: size)), url: server.base)
        request.headers.append("Content-Type", "application/x-ndjson")
        let answer = try await testClient().send(request)
        #expect(String(decoding: answer.body, as: UTF8.self) == String(size))
        let header = try #require(server.requests.first).header
        #expect(!header.contains("Expect"))
        #expect(header.contains("Content-Type: application/x-ndjson"))
        #expect(!header.contains("octet-stream"))
    }

    // MARK: Limits

    @Test(arguments: [0, 1, 999, 1_000, 1_001])
    func body_overItsLimit_failsOrIsTruncated(limit: Int) async throws {
        let server = try LoopbackServer { _ in [response("200 OK", String(repeating: "x", count: 1_000))] }
        defer { server.stop() }
        var request = HTTPRequest(url: server.base)
        request.bodyLimit = .truncating(after: limit)
        let answer = try await testClient().send(request)
        #expect(answer.status == 200 && answer.body.count == min(limit, 1_000))
        #expect(answer.isTruncated == (limit < 1_000))
        request.bodyLimit = .failing(after: limit)
        if limit < 1_000 {
            #expect(await failure(of: request, with: try testClient())?.kind == .bodyTooLarge)
        } else {
            #expect(try await testClient().send(request).body.count == 1_000)
        }
    }

    @Test func endlessHeader_isRejected() async throws {
        let server = try LoopbackServer { _ in
            [.send("HTTP/1.1 200 OK\r\n")]
                + (0..<100).map { .send("X-\($0): \(String(repeating: "y", count: 1_000))\r\n") }
                + [.hang]
        }
        defer { server.stop() }
        let error = await failure(of: HTTPRequest(url: server.base), with: try testClient())
        #expect(error?.kind == .headerTooLarge)
    }

    @Test func compressedBody_isDecoded_andLimitedByItsDecodedSize() async throws {
        // `printf %0100000d 0 | gzip -9`, by zlib: 100,000 zeros in text.
        let server = try LoopbackServer { request in
            [
                .send(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(gzippedZeros.count)\r\n\r\n"
                ),
                .sendBytes(gzippedZeros),
            ]
        }
        defer { server.stop() }
        var request = HTTPRequest(url: server.base)
        request.acceptsCompression = true
        let answer = try await testClient().send(request)
        #expect(answer.body == [UInt8](repeating: 0x30, count: 100_000))
        #expect(try #require(server.requests.first).header.contains("gzip"))
        request.bodyLimit = .failing(after: 99_999)
        #expect(await failure(of: request, with: try testClient())?.kind == .bodyTooLarge)
    }

    @Test func range_isSentAsARangeHeader() async throws {
        let server = try LoopbackServer { _ in [response("206 Partial Content", "abc")] }
        defer { server.stop() }
        var request = HTTPRequest(url: server.base)
        request.range = .init(offset: 100, length: 3)
        #expect(try await testClient().send(request).status == 206)
        request.range = .init(offset: 5)
        _ = try await testClient().send(request)
        #expect(server.requests[0].header.contains("Range: bytes=100-102"))
        #expect(server.requests[1].header.contains("Range: bytes=5-"))
    }

    // MARK: Failures

    @Test func connection_refused_isRetriable() async throws {
        let server = try LoopbackServer { _ in [] }
        server.stop()
        let error = await failure(of: HTTPRequest(url: server.base), with: try testClient())
        #expect(error?.kind == .notConnected && error?.isRetriable == true)
        #expect(error?.curlCode == 7 && error?.curlName == "CURLE_COULDNT_CONNECT")
    }

    @Test func name_unknown_isRetriable() async throws {
        let error = await failure(
            of: HTTPRequest(url: "http://no-such-host.invalid/"), with: try testClient())
        #expect(error?.kind == .nameNotResolved && error?.isRetriable == true)
    }

    @Test(arguments: [
        [LoopbackServer.Step.reset], [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"), .reset],
        [.send("HTTP/1.1 200 OK\r\nContent-Len"), .reset],
    ])
    func connection_broken_isRetriable(steps: [LoopbackServer.Step]) async throws {
        let server = try LoopbackServer { _ in steps }
        defer { server.stop() }
        let error = await failure(of: HTTPRequest(.post(body: [1]), url: server.base), with: try testClient())
        #expect(error?.kind == .interrupted && error?.isRetriable == true)
    }

    @Test func response_thatNeverArrives_timesOut() async throws {
        let server = try LoopbackServer { _ in [.hang] }
        defer { server.stop() }
        var request = HTTPRequest(url: server.base)
        request.timeLimits.lowSpeedSeconds = 1
        #expect(await failure(of: request, with: try testClient())?.kind == .timedOut)
        request.timeLimits.lowSpeedSeconds = 60
        request.timeLimits.total = 1
        #expect(await failure(of: request, with: try testClient())?.kind == .timedOut)
    }

    /// The peer accepts the connection, and never answers the client's first message.
    @Test func handshake_thatNeverEnds_timesOut() async throws {
        let peer = try SilentPeer()
        var request = HTTPRequest(url: "https://\(peer.address)/")
        request.timeLimits.connect = 1
        request.timeLimits.lowSpeedSeconds = 86_400
        #expect(await failure(of: request, with: try testClient())?.kind == .timedOut)
    }

    @Test(arguments: ["garbage\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/9.9 200 OK\r\n\r\n"])
    func answer_thatIsNotHTTP_isMalformed(text: String) async throws {
        let server = try LoopbackServer { _ in [.send(text), .close] }
        defer { server.stop() }
        for method in [HTTPRequest.Method.get, .post(body: [1])] {
            let error = await failure(of: HTTPRequest(method, url: server.base), with: try testClient())
            #expect(
                error?.kind == .malformedResponse && error?.isRetriable == true,
                "\(String(describing: error))")
        }
    }

    /// A request whose time limits are longer than a test waits on a busy machine.
    private func patientRequest(_ url: String) -> HTTPRequest {
        var request = HTTPRequest(url: url)
        request.timeLimits.lowSpeedSeconds = 1_800
        return request
    }

    @Test func task_cancelled_endsTheTransfer() async throws {
        let server = try LoopbackServer { _ in [.hang] }
        defer { server.stop() }
        let client = try testClient()
        let request = patientRequest(server.base)
        let task = Task { await failure(of: request, with: client) }
        try await wait(for: "the request") { !server.requests.isEmpty }
        task.cancel()
        #expect(await task.value?.kind == .cancelled)
    }

    @Test func task_cancelledBeforeItBegan_sendsNothing() async throws {
        let client = try testClient()
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await failure(of: HTTPRequest(url: "http://127.0.0.1:9/"), with: client)
        }
        let kind = await task.value?.kind
        #expect(kind == .cancelled || kind == .notConnected)
    }

    @Test func client_closed_failsCurrentAndLaterRequests() async throws {
        let server = try LoopbackServer { _ in [.hang] }
        defer { server.stop() }
        let client = try testClient()
        let request = patientRequest(server.base)
        let task = Task { await failure(of: request, with: client) }
        try await wait(for: "the request") { !server.requests.isEmpty }
        client.close()
        #expect(await task.value?.kind == .closed)
        #expect(await failure(of: HTTPRequest(url: server.base), with: client)?.kind == .closed)
    }

    // MARK: Secrets and defects

    @Test func secrets_areNotInErrors() async throws {
        for url in [
            // No test has this port. The port of a stopped server may be that of another test's server by now.
            "http://user:pa55word@127.0.0.1:9/x?key=s3cret",
            "http://user:pa55word@no-host.invalid/?s3cret",
            "ftp://user:pa55word@h/?s3cret", "user:pa55word@h?s3cret", "http://user:pa55word@[::1?s3cret",
        ] {
            var request = HTTPRequest(url: url)
            request.bearerToken = "t0ken-abc"
            let error = try #require(await failure(of: request, with: try testClient()))
            for text in ["\(error)", String(reflecting: error), error.localizedText] {
                for secret in ["pa55word", "s3cret", "t0ken-abc"] {
                    #expect(!text.contains(secret), "\(text)")
                }
            }
        }
    }

    @Test func url_ofTheMaximumLength_isSent_andALongerOneIsInvalid() async throws {
        let server = try LoopbackServer { _ in [response("200 OK")] }
        defer { server.stop() }
        let start = server.base + "/"
        let url = start + String(repeating: "a", count: 8_192 - start.utf8.count)
        #expect(try await testClient().send(HTTPRequest(url: url)).status == 200)
        #expect(
            await failure(of: HTTPRequest(url: url + "a"), with: try testClient())?.kind == .invalidRequest)
        #expect(server.requests.count == 1)
    }

    @Test func invalidRequest_isRejectedBeforeItIsSent() async throws {
        let client = try testClient()
        for url in [
            "", "x", "file:///etc/passwd", "http:/x", "http://a b/", "http://h/\r\nX: y", "HTTPS", "http//x",
        ] {
            #expect(await failure(of: HTTPRequest(url: url), with: client)?.kind == .invalidRequest, "\(url)")
        }
        var request = HTTPRequest(url: "http://127.0.0.1:9/")
        for (name, value) in [
            ("", "v"), ("a b", "v"), ("a:", "v"), ("a", "v\r\nb: c"), ("a", "\u{0}"), ("ä", "v"),
        ] {
            request.headers = HTTPHeaders()
            request.headers.append(name, value)
            #expect(await failure(of: request, with: client)?.kind == .invalidRequest)
        }
        request.headers = HTTPHeaders()
        for token in ["", "a b", "a\r\nX: y", "ä"] {
            request.bearerToken = token
            #expect(await failure(of: request, with: client)?.kind == .invalidRequest)
        }
        request.bearerToken = nil
        for range in [HTTPRequest.RequestedBytes(offset: 0, length: 0), .init(offset: .max, length: 2)] {
            request.range = range
            #expect(await failure(of: request, with: client)?.kind == .invalidRequest)
        }
    }

    @Test func retryAfter_inBothForms_isRead() {
        for (value, expected) in [
            ("120", HTTPHeaders.RetryAfter.seconds(120)), ("0", .seconds(0)),
            (String(repeating: "9", count: 40), .seconds(.max)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", .date(784_111_777)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", .date(784_111_777)),
            ("Sun Nov  6 08:49:37 1994", .date(784_111_777)),
        ] {
            var headers = HTTPHeaders()
            headers.append("Retry-After", value)
            #expect(headers.retryAfter == expected)
        }
        for value in ["", "-1", "soon", "1.5x", "+5", "5 "] {
            var headers = HTTPHeaders()
            headers.append("retry-after", value)
            #expect(headers.retryAfter == nil, "\(value)")
        }
    }

    /// An application may return from `main` while the threads of clients use TLS.
    @Test(arguments: [false, true]) func exitingProcess_leavesLibcryptoUsable(isDigestFirst: Bool) async {
        await #expect(processExitsWith: .success) { [isDigestFirst = isDigestFirst as Bool] in
            // Exit handlers run in the reverse order of their registration, so this one runs last.
            atexit { _exit(isLibcryptoUsable() ? 0 : 1) }
            if isDigestFirst { _ = Digest.sha256([1]) }
            let client = try testClient()
            withExtendedLifetime(client) { exit(0) }
        }
    }
}

private func isLibcryptoUsable() -> Bool {
    guard let address = unsafe dlsym(nil, "OPENSSL_init_crypto") else { return false }
    // The second argument may be null.
    let initialize = unsafe unsafeBitCast(address, to: (@convention(c) (UInt64, UInt) -> Int32).self)
    return initialize(0, 0) == 1
}

/// A client of a test, with default settings except for the changes.
func testClient(_ change: (inout HTTPClientSettings) -> Void = { _ in }) throws -> HTTPClient {
    var settings = HTTPClientSettings(userAgent: "dtvr/0.0-test")
    change(&settings)
    return try HTTPClient(settings: settings)
}

/// Returns the error of a request, or nil if it has a response.
func failure(of request: HTTPRequest, with client: HTTPClient) async -> HTTPTransferError? {
    do throws(HTTPTransferError) {
        _ = try await client.send(request)
        return nil
    } catch {
        return error
    }
}

extension HTTPTransferError {
    var localizedText: String { target + detail + curlName }
}
