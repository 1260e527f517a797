import Foundation
import HTTPTransfer
import TestSupport
import Testing

@testable import HLSInput

/// The hosts that receive the client certificate of a channel.
@Suite(.timeLimit(.minutes(30))) struct LiveCertificateTests {
    @Test(.enabled(if: TLSServer.isAvailable, "openssl is not installed"))
    func clientCertificate_isPresentedOnlyToTheChannelsHost() async throws {
        let folder = try TemporaryFolder()
        let own = try await TLSServer(folder.path, certificates: folder.path, requiresCertificate: true)
        // This server requests a client certificate but works without one.
        let other = try await TLSServer(folder.path, certificates: folder.path, requiresCertificate: false)
        let segments = [own, other].map { "#EXTINF:6,\n\($0.base)/a\n" }.joined()
        for (name, text) in [
            ("a", "no media"), ("index.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + segments),
        ] {
            try folder.write(name, text)
        }
        var connection = ConnectionSettings()
        connection.authoritiesFile = own.authority
        connection.clientCertificateFile = own.clientIdentity
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        let input = LiveInput(
            channel: "one-hd", url: own.base + "/index.m3u8", connection: connection,
            fetcher: try ResourceFetcher(client: client))
        let rendition = LiveRendition(try await input.open(.lowest)[0], of: input)
        let load = await rendition.load(at: .zero, jitter: 1)
        #expect(load.segments.count == 2)
        for segment in load.segments { _ = await rendition.read(segment) }
        #expect(own.requests == ["/index.m3u8 viewer", "/index.m3u8 viewer", "/a viewer"])
        #expect(other.requests == ["/a -"])
    }
}
