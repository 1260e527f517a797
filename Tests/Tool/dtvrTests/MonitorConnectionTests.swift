import Foundation
import TestSupport
import Testing

/// `ca-file`, `client-cert` and `proxy` of a channel file.
@Suite(.timeLimit(.minutes(30))) struct MonitorConnectionTests {
    /// The folder of a rendition of the synthetic stream, with all the segments that its playlist lists.
    private static let demo = Tool.demo + "/audio"

    @Test(.enabled(if: TLSServer.isAvailable, "openssl is not installed"))
    func channels_haveTheirOwnAuthoritiesAndCertificates() async throws {
        let folder = try TemporaryFolder()
        let server = try await TLSServer(Self.demo, certificates: folder.path, requiresCertificate: true)
        let url = server.base + "/index.m3u8"
        let path = try folder.write(
            "channels",
            """
            [channel both]
            url = \(url)
            ca-file = \(server.authority)
            client-cert = \(server.clientIdentity)
            [channel strange]
            url = \(url)
            client-cert = \(server.clientIdentity)
            [channel bare]
            url = \(url)
            ca-file = \(server.authority)
            """.utf8)
        let monitor = try RunningMonitor(["--format", "jsonl", "--channels", path], in: folder)
        try await wait(for: "an end and two failures") {
            Set(
                monitor.lines("state").compactMap { state in
                    (state["channel"] as? String).map { "\($0) \(state["to"] ?? "")" }
                }
            ).isSuperset(of: ["both ended", "strange unreachable", "bare unreachable"])
        }
        #expect(await monitor.stop() == 0)
        let channels = monitor.lines("tag").map { $0["channel"] as? String }
        #expect(channels.count >= 2 && channels.allSatisfy { $0 == "both" })
        let requests = server.requests
        #expect(requests.contains("/index.m3u8 viewer") && requests.contains { $0.hasPrefix("/seg") })
        #expect(requests.allSatisfy { $0.hasSuffix(" viewer") })
    }

    /// All requests of a channel use its proxy.
    ///
    /// The numeric private address in its playlist is requested only if that is allowed.
    @Test(arguments: [false, true])
    func channel_withAProxy_isLoadedOnlyThroughIt(allowsPrivate: Bool) async throws {
        let playlist = """
            #EXTM3U
            #EXT-X-TARGETDURATION:7
            #EXTINF:6,
            seg00000.ts
            #EXTINF:6,
            http://127.0.0.1:9/seg00001.ts
            #EXT-X-ENDLIST

            """
        let segments = try (0...1).map {
            try Data(contentsOf: URL(fileURLWithPath: "\(Self.demo)/seg0000\($0).ts"))
        }
        let proxy = try LoopbackServer { request in
            switch request.target {
            case "http://stream.example/index.m3u8": ServedResource(playlist).answer(to: request)
            case "http://stream.example/seg00000.ts": ServedResource(Array(segments[0])).answer(to: request)
            case "http://127.0.0.1:9/seg00001.ts": ServedResource(Array(segments[1])).answer(to: request)
            default: [response("404 Not Found")]
            }
        }
        defer { proxy.stop() }
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "channels",
            """
            [defaults]
            proxy = \(proxy.base.replacing("http://", with: "http://user:${PASSWORD}@"))
            [channel one]
            url = http://stream.example/index.m3u8
            """.utf8)
        let monitor = try RunningMonitor(
            ["--format", "jsonl", "--channels", path] + (allowsPrivate ? ["--allow-private"] : []),
            in: folder,
            environment: ["PASSWORD": "s3cret-value"])
        try await wait(for: "the end") { monitor.lines("state").contains { $0["to"] as? String == "ended" } }
        #expect(await monitor.stop() == 0)
        #expect(proxy.requests.map(\.target).contains("http://stream.example/seg00000.ts"))
        #expect(proxy.requests.map(\.target).contains("http://127.0.0.1:9/seg00001.ts") == allowsPrivate)
        #expect(proxy.requests.allSatisfy { $0.header.contains("Proxy-Authorization: Basic ") })
        #expect(!monitor.lines("tag").isEmpty)
        #expect(!(monitor.output + monitor.errors).contains("s3cret-value"))
    }

    @Test func connectionSetting_thatIsInvalid_isAChannelFileError() async throws {
        let folder = try TemporaryFolder()
        let certificate = try folder.write("a.pem", "-----BEGIN CERTIFICATE-----\n".utf8)
        let empty = try folder.write("empty.pem", [])
        for (line, message) in [
            ("ca-file = \(folder.path)/none.pem", "ca-file: cannot read '\(folder.path)/none.pem': "),
            ("ca-file = \(folder.path)", "ca-file: '\(folder.path)' is not a regular file"),
            ("ca-file = /dev/zero", "ca-file: '/dev/zero' is not a regular file"),
            ("ca-file = \(empty)", "ca-file: '\(empty)' contains no PEM certificate"),
            ("client-cert = \(certificate)", "client-cert: '\(certificate)' contains no PEM private key"),
            ("proxy = socks5://a:1080", "proxy takes an http address such as http://proxy.example:3128"),
            ("proxy = http://${NONE}@a", "the variable NONE is not set"),
        ] {
            let path = try folder.write("channels", "[channel a]\nurl = http://a/b\n\(line)\n".utf8)
            let result = try await Tool.run("monitor", "--channels", path, "--check-config")
            #expect(
                result.status == 2 && result.errors.contains("channels:3: \(message)"), "\(result.errors)")
        }
    }
}
