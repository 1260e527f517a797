import Glibc
import TestSupport
import Testing

@testable import HTTPTransfer

/// The addresses that a request reaches: redirects and the address policy.
@Suite(.timeLimit(.minutes(30))) struct RequestAddressTests {
    // MARK: Redirects

    @Test func get_redirected_isFollowedToItsFinalAddress() async throws {
        let server = try LoopbackServer {
            $0.line.contains("/end")
                ? [response(headers: ["X-End: 1"], "end")]
                : [response("302 Found", headers: ["Location: /end", "X-Hop: 1"], "moved")]
        }
        defer { server.stop() }
        let answer = try await testClient().send(HTTPRequest(url: server.base + "/start"))
        #expect(answer.status == 200 && answer.body == Array("end".utf8))
        #expect(answer.url == server.base + "/end")
        #expect(answer.headers["X-End"] == "1" && answer.headers["X-Hop"] == nil)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func post_redirected_isNotFollowed(status: Int) async throws {
        let server = try LoopbackServer { _ in [response("\(status) Moved", headers: ["Location: /end"])] }
        defer { server.stop() }
        let answer = try await testClient().send(HTTPRequest(.post(body: [1]), url: server.base))
        #expect(answer.status == status && answer.headers["Location"] == "/end")
        #expect(server.requests.count == 1)
    }

    @Test func get_inARedirectLoop_failsAfterFiveRedirects() async throws {
        let server = try LoopbackServer { _ in [response("302 Found", headers: ["Location: /again"])] }
        defer { server.stop() }
        let error = await failure(of: HTTPRequest(url: server.base), with: try testClient())
        #expect(error?.kind == .redirectRefused && error?.curlName == "CURLE_TOO_MANY_REDIRECTS")
        #expect(server.requests.count == 6)
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/a", "gopher://127.0.0.1/"])
    func get_redirectedToAnotherProtocol_isRefused(location: String) async throws {
        let server = try LoopbackServer { _ in [response("302 Found", headers: ["Location: \(location)"])] }
        defer { server.stop() }
        let error = await failure(of: HTTPRequest(url: server.base), with: try testClient())
        #expect(error?.kind == .redirectRefused && error?.isRetriable == false)
    }

    @Test func bearerToken_isSentToItsHost_butNotToARedirectTarget() async throws {
        let other = try LoopbackServer { _ in [response("200 OK", "other")] }
        let otherBase = "http://localhost:\(other.port)"
        let server = try LoopbackServer { _ in [response("302 Found", headers: ["Location: \(otherBase)/"])] }
        defer {
            server.stop()
            other.stop()
        }
        var request = HTTPRequest(url: server.base)
        request.bearerToken = "s3cret-token"
        _ = try await testClient().send(request)
        #expect(try #require(server.requests.first).header.contains("Authorization: Bearer s3cret-token"))
        #expect(!(try #require(other.requests.first).header.contains("s3cret")))
    }

    // MARK: Address policy

    @Test func policy_publicOnly_refusesLoopbackAddresses() async throws {
        let server = try LoopbackServer { _ in [response()] }
        defer { server.stop() }
        for host in ["127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]", "2130706433"] {
            var request = HTTPRequest(url: "http://\(host):\(server.port)/")
            request.addressPolicy = .publicOnly
            let error = await failure(of: request, with: try testClient())
            #expect(error?.kind == .addressRefused, "\(host)")
            #expect(error?.isRetriable == false)
        }
        #expect(server.connectionCount == 0)
    }

    /// A connection that an earlier request left open was opened under another policy.
    @Test func policy_publicOnly_doesNotReuseAnOpenConnection() async throws {
        let server = try LoopbackServer { _ in [response()] }
        defer { server.stop() }
        let client = try testClient()
        var request = HTTPRequest(url: server.base)
        _ = try await client.send(request)
        request.addressPolicy = .publicOnly
        let error = await failure(of: request, with: client)
        #expect(error?.kind == .addressRefused)
        #expect(server.requests.count == 1)
    }

    /// A proxy would connect to addresses that the client cannot check.
    ///
    /// The test runs in a separate process, whose environment names a proxy.
    @Test func policy_publicOnly_ignoresTheProxyOfTheEnvironment() async throws {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer { _ in [response()] }
            // Nothing else runs in this process yet.
            unsafe setenv("http_proxy", proxy.base, 1)
            let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
            // An address that is reserved for documentation, so no server responds.
            var request = HTTPRequest(url: "http://192.0.2.1/a.ts")
            request.timeLimits.connect = 1
            let head = try await client.send(request).head
            #expect(head.isSuccess && head.remoteAddress == nil)
            #expect(proxy.requests.map(\.line) == ["GET http://192.0.2.1/a.ts HTTP/1.1"])
            request.addressPolicy = .publicOnly
            let error = await failure(of: request, with: client)
            // The scope is that of the address itself, not that of the proxy, which is a loopback address.
            #expect(error?.kind == .addressRefused && error?.detail == "its scope is reserved")
            #expect(proxy.requests.count == 1)
        }
    }

    @Test func port_ofAURL_isStatedOrTheDefaultOfItsScheme() {
        for (url, port) in [
            ("http://a/b:81/", 80), ("https://a", 443), ("HTTPS://a/", 443), ("http://a:8080/x", 8_080),
            ("http://u:p@a/", 80), ("http://u:1@a:2?x:3", 2), ("http://[::1]/", 80),
            ("http://[::1]:81#:4", 81),
            ("http://a:/", 80), ("http://a:x/", nil), ("http://a:+80/", nil), ("http://a:65535/", 65_535),
            ("http://a:65536/", nil),
        ] as [(String, UInt16?)] {
            #expect(HTTPOrigin(url)?.port == port, "\(url)")
        }
    }
}
