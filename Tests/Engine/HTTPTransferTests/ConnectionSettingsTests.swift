import Foundation
import TestSupport
import Testing

@testable import HTTPTransfer

/// Requests with their own proxy, certificate authorities or client certificate.
@Suite(.timeLimit(.minutes(30))) struct ConnectionSettingsTests {
    private static func client() throws -> HTTPClient {
        try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
    }

    private static func failure(of request: HTTPRequest) async throws -> HTTPTransferError? {
        let client = try client()
        do throws(HTTPTransferError) {
            _ = try await client.send(request)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Proxies

    @Test(arguments: [AddressPolicy.any, .publicOnly])
    func proxy_isUsed_underEveryAddressPolicy(policy: AddressPolicy) async throws {
        let proxy = try LoopbackServer { _ in [response("200 OK", "through")] }
        defer { proxy.stop() }
        var request = HTTPRequest(url: "http://stream.example/a.m3u8")
        request.addressPolicy = policy
        request.connection.proxy = proxy.base.replacing("http://", with: "http://user:s3cret@")
        let answer = try await Self.client().send(request)
        #expect(answer.body == Array("through".utf8))
        // The remote address would be that of the proxy, not that of the host.
        #expect(answer.head.remoteAddress == nil)
        #expect(proxy.requests.map(\.line) == ["GET http://stream.example/a.m3u8 HTTP/1.1"])
        // Base64 of `user:s3cret`.
        #expect(proxy.requests.first?.header.contains("Proxy-Authorization: Basic dXNlcjpzM2NyZXQ=") == true)
    }

    @Test func configuredProxy_isUsed_despiteNoProxyInTheEnvironment() async throws {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer { _ in [response("200 OK", "through")] }
            // Nothing else runs in this process yet.
            unsafe setenv("no_proxy", "*", 1)
            var request = HTTPRequest(url: "http://stream.example/a.m3u8")
            request.connection.proxy = proxy.base
            let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
            #expect(try await client.send(request).body == Array("through".utf8))
        }
    }

    @Test(arguments: [
        "127.0.0.1", "localhost", "LOCALHOST", "a.localhost", "localhost.", "127.0.0.1.", "2130706433",
        "0x7f000001",
        "127.1", "%31%32%37.0.0.1", "[::1]", "[::ffff:10.0.0.1]", "10.0.0.1", "169.254.169.254", "0.0.0.0",
        "[fe80::1]",
    ])
    func privateAddress_underThePublicPolicy_isNotRequestedThroughAProxy(host: String) async throws {
        let target = "http://\(host):9/a.ts"
        let proxy = try LoopbackServer { request in
            request.target.contains("start.example")
                ? ServedResource.redirect(to: target).answer(to: request) : [response()]
        }
        defer { proxy.stop() }
        // In the request, and in a redirect.
        for (index, url) in [target, "http://start.example/"].enumerated() {
            var request = HTTPRequest(url: url)
            request.addressPolicy = .publicOnly
            request.connection.proxy = proxy.base
            #expect(try await Self.failure(of: request)?.kind == .addressRefused, "\(url)")
            #expect(proxy.requests.count == index)
        }
        var request = HTTPRequest(url: target)
        request.connection.proxy = proxy.base
        #expect(try await Self.failure(of: request) == nil)
    }

    @Test func proxyPassword_isNotInErrors() async throws {
        var request = HTTPRequest(url: "http://stream.example/")
        for proxy in [
            "http://user:s3cret@127.0.0.1:9", "http://user:s3cret@no.such.host.invalid:9",
            "http://user:s3cret@[x",
        ] {
            request.connection.proxy = proxy
            let error = try #require(try await Self.failure(of: request))
            #expect(!"\(error) \(error.detail)".contains("s3cret"), "\(error)")
        }
    }

    // MARK: Certificates

    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("a", "here")
        return folder
    }

    @Test(.enabled(if: TLSServer.isAvailable, "openssl is not installed"))
    func authorities_ofARequest_areTrustedOnlyByThatRequest() async throws {
        let folder = try Self.folder()
        let server = try await TLSServer(folder.path, certificates: folder.path, requiresCertificate: false)
        let client = try Self.client()
        for isTrusted in [false, true, false] {
            var request = HTTPRequest(url: server.base + "/a")
            if isTrusted { request.connection.authoritiesFile = server.authority }
            do throws(HTTPTransferError) {
                #expect(try await client.send(request).body == Array("here".utf8))
                // This also applies if the other request has left a connection open.
                #expect(isTrusted)
            } catch {
                #expect(!isTrusted && error.kind == .tlsFailed, "\(error)")
            }
        }
        #expect(server.requests == ["/a -"])
    }

    @Test(.enabled(if: TLSServer.isAvailable, "openssl is not installed"))
    func clientCertificate_isPresentedToItsHost_butNotToARedirectTarget() async throws {
        let folder = try Self.folder()
        let own = try await TLSServer(folder.path, certificates: folder.path, requiresCertificate: true)
        let other = try await TLSServer(folder.path, certificates: folder.path, requiresCertificate: false)
        let client = try Self.client()
        var request = HTTPRequest(url: "\(own.base)/to?\(own.base)/to?\(other.base)/a")
        request.connection.authoritiesFile = own.authority
        request.connection.clientCertificateFile = own.clientIdentity
        #expect(try await client.send(request).body == Array("here".utf8))
        #expect(own.requests == ["/to?\(own.base)/to?\(other.base)/a viewer", "/to?\(other.base)/a viewer"])
        #expect(other.requests == ["/a -"])
        // Without the certificate, while a connection that was opened with it is still open.
        request.url = own.base + "/a"
        request.connection.clientCertificateFile = nil
        let error = try await Self.failure(of: request)
        #expect(error != nil)
        do throws(HTTPTransferError) {
            _ = try await client.send(request)
            Issue.record("the connection of another was used")
        } catch {
            #expect(own.requests.count == 2)
        }
    }
}
