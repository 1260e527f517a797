import TestSupport
import Testing

@testable import HTTPTransfer

@Suite(.timeLimit(.minutes(30))) struct RedirectFollowingTests {
    @Test(arguments: [
        ("http://a/x", "http://a/y?z", true), ("http://a", "http://a:80/", true),
        ("https://a", "https://a:443", true),
        ("http://A.example/", "http://a.EXAMPLE/", true), ("http://a:81/", "http://a/", false),
        ("http://a/", "https://a/", false), ("http://a/", "http://b/", false),
        ("http://a/", "http://a.b/", false),
        ("http://u:p@a/", "http://a/", true), ("http://a@b/", "http://a/", false),
        ("http://[::1]/", "http://[::1]:80/", true),
        ("http://[::1]/", "http://[::2]/", false), ("http://a:x/", "http://a:x/", false),
        ("http://a/@b", "http://b/", false), ("http://a\\@b/", "http://b/", false),
        ("http://a\\@b/", "http://a/", false),
    ])
    func origins_areEqual_bySchemeHostAndPort(one: String, other: String, areSame: Bool) {
        #expect(HTTPOrigin.areSame(one, other) == areSame)
        #expect(HTTPOrigin.areSame(other, one) == areSame)
    }

    @Test func ownHostHeader_isNotSentToAnotherHost_afterARedirect() async throws {
        let other = try LoopbackServer(serving: ["/c": .redirect(to: "/d"), "/d": ServedResource("end")])
        let own = try LoopbackServer(serving: [
            "/a": .redirect(to: "b", status: "307 Temporary Redirect"),
            "/b": .redirect(to: other.base + "/c"),
        ])
        defer {
            own.stop()
            other.stop()
        }
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        var request = HTTPRequest(url: own.base + "/a")
        request.ownHostHeaders.append("X-Token", "secret-1")
        let answer = try await client.send(request)
        #expect(answer.body == Array("end".utf8) && answer.url == other.base + "/d")
        #expect(own.requests.map(\.target) == ["/a", "/b"])
        #expect(own.requests.allSatisfy { $0.header.contains("X-Token: secret-1") })
        #expect(!other.requests.contains { $0.header.contains("secret-1") })
        let stream = try await client.stream(request)
        #expect(try await stream.next() == Array("end".utf8))
    }

    /// nginx sends a body with each of these, and libcurl reports the target only after the body.
    @Test(arguments: ["302 Found", "301 Moved Permanently", "303 See Other", "308 Permanent Redirect"])
    func redirect_withABody_isFollowed(status: String) async throws {
        var moved = ServedResource(String(repeating: "<p>It is elsewhere.", count: 4_000))
        moved.status = status
        moved.headers = ["Location: ../there/b?c=d"]
        let server = try LoopbackServer(serving: ["/here/a": moved, "/there/b?c=d": ServedResource("end")])
        defer { server.stop() }
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        var request = HTTPRequest(url: server.base + "/here/a")
        request.ownHostHeaders.append("X-Token", "secret-1")
        let answer = try await client.send(request)
        #expect(answer.body == Array("end".utf8) && answer.url == server.base + "/there/b?c=d")
        let stream = try await client.stream(request)
        #expect(try await stream.next() == Array("end".utf8))
    }

    /// libcurl connects to the host after the at sign; other parsers use the host before the backslash.
    @Test func url_withABackslash_isRejectedBeforeItIsSent() async throws {
        let own = try LoopbackServer(serving: ["/a": .redirect(to: "/b")])
        defer { own.stop() }
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        let authority = own.base.dropFirst("http://".count)
        var request = HTTPRequest(url: "http://elsewhere.example\\@\(authority)/a")
        request.ownHostHeaders.append("X-Token", "secret-1")
        #expect(await failure(of: request, with: client)?.kind == .invalidRequest)
        #expect(own.requests.isEmpty)
    }

    @Test func redirects_areFollowedUpToTheirLimit() async throws {
        let server = try LoopbackServer(serving: [
            "/a": .redirect(to: "/b"), "/b": .redirect(to: "/c"), "/c": ServedResource("end"),
        ])
        defer { server.stop() }
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        var request = HTTPRequest(url: server.base + "/a")
        request.ownHostHeaders.append("X-Token", "secret-1")
        request.maximumRedirectCount = 2
        #expect(try await client.send(request).body == Array("end".utf8))
        request.maximumRedirectCount = 1
        #expect(await failure(of: request, with: client)?.kind == .redirectRefused)
    }

    @Test func redirect_toAnotherScheme_isRefused() async throws {
        let server = try LoopbackServer(serving: ["/a": .redirect(to: "file:///etc/hostname")])
        defer { server.stop() }
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        var request = HTTPRequest(url: server.base + "/a")
        request.ownHostHeaders.append("X-Token", "secret-1")
        await #expect {
            _ = try await client.send(request)
        } throws: { error in
            (error as? HTTPTransferError)?.kind == .redirectRefused && !"\(error)".contains("secret-1")
        }
    }
}
