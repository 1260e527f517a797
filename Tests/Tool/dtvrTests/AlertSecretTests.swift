import Foundation
import Synchronization
import TestSupport
import Testing

/// The secrets of a channel and of a webhook appear in nothing that a monitor prints, stores or sends.
@Suite(.timeLimit(.minutes(30))) struct AlertSecretTests {
    private static let secrets = [
        "header-s3cret", "query-s3cret", "us3r-name", "pass-s3cret", "segment-s3cret", "defined-s3cret",
        "cookie-s3cret", "hook-s3cret", "key-s3cret", "pr0xy-user", "proxy-s3cret",
    ]

    private static let playlist = """
        #EXTM3U
        #EXT-X-TARGETDURATION:6
        #EXT-X-DEFINE:NAME="auth",VALUE="defined-s3cret"
        #EXT-X-MEDIA-SEQUENCE:1
        #EXT-X-SESSION-DATA:DATA-ID="x",URI="http://us3r-name:pass-s3cret@cdn.example/x?segment-s3cret"
        #EXTINF:6,
        a.ts?sig=segment-s3cret
        #EXTINF:6,
        b.ts?sig=segment-s3cret&{$auth}

        """

    /// Returns a server of the playlist, whose second segment is missing, so that there are findings too.
    private static func server() throws -> LoopbackServer {
        let segment = [UInt8](try Data(contentsOf: URL(fileURLWithPath: SettingEffectTests.segment)))
        return try LoopbackServer { request in
            if request.line.contains(".m3u8") {
                return [
                    response(
                        headers: ["Set-Cookie: session=cookie-s3cret", "X-Other: header-s3cret"],
                        playlist)
                ]
            }
            if request.line.contains("b.ts") { return [response("404 Not Found")] }
            return ServedResource(segment).answer(to: request)
        }
    }

    @Test func secrets_neverAppearInOutput_files_metrics_orBodies() async throws {
        let folder = try TemporaryFolder()
        let server = try Self.server()
        defer { server.stop() }
        let hook = try LoopbackServer { _ in [response("200 OK")] }
        defer { hook.stop() }
        let address = server.base.replacing("http://", with: "http://us3r-name:pass-s3cret@")
        let channels = try folder.write(
            "channels",
            """
            [defaults]
            limit-silence = 1s
            [channel one]
            url = \(address)/one.m3u8?token=query-s3cret
            header = Authorization: Bearer ${ONE_TOKEN}
            [channel two]
            url = http://stream.example/two.m3u8
            proxy = \(server.base.replacing("http://", with: "http://pr0xy-user:${PROXY_PASSWORD}@"))
            """.utf8)
        let key = try folder.write("key", "key-s3cret".utf8)
        let monitor = try await RunningMonitor.start(
            [
                "--format", "jsonl", "--channels", channels, "--alert-webhook",
                hook.base + "/hook-s3cret?x=hook-s3cret", "--alert-key-file", key,
            ], in: folder, environment: ["ONE_TOKEN": "header-s3cret", "PROXY_PASSWORD": "proxy-s3cret"])
        try await wait(for: "the webhook") {
            ["one", "two"].allSatisfy { channel in
                hook.requests.contains { $0.body.contains("\"channel\":\"\(channel)\"") }
            }
        }
        let evidence = folder.path + "/store/evidence"
        try await wait(for: "the evidence") {
            let names = (try? FileManager.default.subpathsOfDirectory(atPath: evidence)) ?? []
            return names.filter { $0.hasSuffix("index.m3u8") }.count >= 2
        }
        var texts = [
            "metrics": try await monitor.answer(to: "metrics").text, "errors": monitor.errors,
            "body": hook.requests.map(\.body).joined(),
        ]
        #expect(await monitor.stop() == 0)
        // A tag line contains the address of its channel as the source of the tag, as its contract requires.
        texts["output"] = monitor.output.split(separator: "\n")
            .filter { !$0.hasPrefix(#"{"type":"tag""#) }.joined()
        for name in try FileManager.default.subpathsOfDirectory(atPath: evidence) {
            texts[name] = String(
                decoding: FileManager.default.contents(atPath: "\(evidence)/\(name)") ?? Data(), as: UTF8.self
            )
        }
        for name in ["alerts.json", "alerts-webhook.json"] { texts[name] = folder.text("store/\(name)") }
        #expect(texts.count >= 9)
        #expect(texts["output"]?.contains("presence.silent") == true)
        for (name, text) in texts {
            for secret in Self.secrets { #expect(!text.contains(secret), "\(secret) in \(name)") }
        }
    }
}
