import Foundation
import HTTPTransfer
import TestSupport
import Testing

/// HTTP/2 for bodies that are collected, and HTTP/1.1 for bodies that are streamed.
@Suite(
    .timeLimit(.minutes(30)),
    .enabled(if: TLSServer.isAvailable && HTTP2Server.isAvailable, "openssl or nghttpd is not installed"))
struct HTTPVersionTests {
    private static func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("a", "here")
        return folder
    }

    private static func request(_ base: String, _ authority: String) -> HTTPRequest {
        var request = HTTPRequest(url: base + "/a")
        request.connection.authoritiesFile = authority
        return request
    }

    @Test func collectedBody_usesHTTP2_andAStreamedBodyDoesNot() async throws {
        let folder = try Self.folder()
        // Creates the certificates, and supports only HTTP/1.1.
        let old = try await TLSServer(folder.path, certificates: folder.path, requiresCertificate: false)
        let new = try await HTTP2Server(folder.path, identity: old.authority)
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<100 {
                group.addTask { try await client.send(Self.request(new.base, old.authority)).body }
            }
            for try await body in group { #expect(body == Array("here".utf8)) }
        }
        // A stream must not use the open HTTP/2 connection either.
        await #expect(throws: HTTPTransferError.self) {
            _ = try await client.stream(Self.request(new.base, old.authority))
        }
        // A server without HTTP/2 still receives HTTP/1.1 requests.
        #expect(try await client.send(Self.request(old.base, old.authority)).body == Array("here".utf8))
        let stream = try await client.stream(Self.request(old.base, old.authority))
        #expect(try await stream.next() == Array("here".utf8))
    }

    /// An idle HTTP/1.1 connection of a stream would keep later requests from negotiating HTTP/2.
    @Test func connectionOfAStream_isReusedByStreamsOnly() async throws {
        let folder = try Self.folder()
        let server = try await TLSServer(
            folder.path, certificates: folder.path, requiresCertificate: false)
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        var request = HTTPRequest(url: server.base + "/connection")
        request.connection.authoritiesFile = server.authority
        func streamed() async throws -> [UInt8] {
            let stream = try await client.stream(request)
            var body: [UInt8] = []
            while let chunk = try await stream.next() { body += chunk }
            return body
        }
        let ofStream = try await streamed()
        #expect(try await streamed() == ofStream)
        let collected = try await client.send(request).body
        #expect(collected != ofStream)
        #expect(try await client.send(request).body == collected)
        #expect(try await streamed() == ofStream)
    }
}
