import Foundation
import TestSupport
import Testing

/// Input through a proxy that the environment names.
@Suite(.timeLimit(.minutes(30))) struct ProxyTests {
    /// The address of the proxy does not show whether the playlist is on a private network.
    ///
    /// So the playlist may name only public addresses, unless the user allows others.
    @Test(arguments: [false, true])
    func playlist_throughAProxy_mayNamePrivateAddressesOnlyIfAllowed(allowsPrivate: Bool) async throws {
        let segment = try Data(contentsOf: URL(fileURLWithPath: Tool.demo + "/audio/seg00000.ts"))
        let playlist = """
            #EXTM3U
            #EXT-X-TARGETDURATION:7
            #EXTINF:6,
            http://127.0.0.1:9/seg00000.ts
            #EXT-X-ENDLIST

            """
        let proxy = try LoopbackServer { request in
            switch request.target {
            case "http://stream.example/index.m3u8": ServedResource(playlist).answer(to: request)
            case "http://127.0.0.1:9/seg00000.ts": ServedResource(Array(segment)).answer(to: request)
            default: [response("404 Not Found")]
            }
        }
        defer { proxy.stop() }
        let call = ["scan", "http://stream.example/index.m3u8"] + (allowsPrivate ? ["--allow-private"] : [])
        let result = try await Tool.run(arguments: call, environment: ["http_proxy": proxy.base])
        if allowsPrivate {
            #expect(result.status == 0 && result.outputLines.count == 2, "\(result.output)\(result.errors)")
            #expect(proxy.requests.count == 2)
        } else {
            #expect(result.status == 3 && result.errors.contains("not permitted"), "\(result.errors)")
            #expect(proxy.requests.count == 1)
        }
    }
}
