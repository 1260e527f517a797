import Foundation
import TestSupport
import Testing

extension SettingEffectTests {
    /// With a key, the alert is signed; without one, it is not.
    ///
    /// The line end of the key file is not part of the key.
    static func alertWebhook(_ folder: TemporaryFolder) async throws {
        let key = try folder.write("key", "the key\n".utf8)
        for options in [[], ["--alert-key-file", key]] {
            let server = try LoopbackServer { _ in [response("200 OK")] }
            defer { server.stop() }
            let place = try TemporaryFolder()
            let monitor = try RunningMonitor(
                ["--limit-silence", "1s", "--alert-webhook", server.base] + options
                    + ["http://127.0.0.1:9/a.m3u8"],
                in: place)
            try await wait(for: "the alert") { !server.requests.isEmpty }
            #expect(await monitor.stop() == 0)
            let request = server.requests[0]
            let signature = request.field("X-DTVR-Signature")
            #expect((signature != nil) == !options.isEmpty)
            guard let signature, let time = request.field("X-DTVR-Timestamp") else { continue }
            let oracle = try await FinishedProcess.of(
                "/usr/bin/openssl", ["dgst", "-sha256", "-hmac", "the key", "-r"],
                input: Data("\(time).\(request.body)".utf8))
            #expect(String(decoding: oracle.output, as: UTF8.self).hasPrefix(signature.dropFirst(7) + " "))
        }
    }

    static func alertFormat(_ folder: TemporaryFolder) async throws {
        let key = try folder.write("key", "R0UTING\n".utf8)
        for (format, start) in [
            ("dtvr", #"{"type":"alert","#), ("alertmanager", #"[{"labels":"#), ("slack", #"{"text":"#),
            ("pagerduty", #"{"routing_key":"R0UTING","event_action":"trigger","#),
            ("teams", #"{"type":"message","#),
        ] {
            let server = try LoopbackServer { _ in [response("200 OK")] }
            defer { server.stop() }
            let place = try TemporaryFolder()
            let monitor = try RunningMonitor(
                [
                    "--limit-silence", "1s", "--alert-webhook", server.base, "--alert-format", format,
                    "http://127.0.0.1:9/a.m3u8",
                ] + (format == "pagerduty" ? ["--alert-key-file", key] : []),
                in: place)
            try await wait(for: "the alert") { !server.requests.isEmpty }
            #expect(server.requests[0].body.hasPrefix(start), "\(server.requests[0].body)")
            #expect(format != "pagerduty" || server.requests[0].field("X-DTVR-Signature") == nil)
            #expect(await monitor.stop() == 0)
            // The routing key is nowhere in the buffer.
            #expect(!place.text("store/alerts.json").contains("R0UTING"))
        }
    }

    static func publicURL(_ folder: TemporaryFolder) async throws {
        let monitor = try RunningMonitor(
            [
                "--limit-silence", "1s", "--format", "jsonl", "--public-url", "https://dtvr.example/m",
                "http://127.0.0.1:9/a.m3u8",
            ], in: folder)
        try await wait(for: "the alert") { !monitor.lines("alert").isEmpty }
        let alert = try #require(monitor.lines("alert").first)
        #expect((alert["page"] as? String)?.hasPrefix("https://dtvr.example/m/channels/") == true)
        #expect((alert["docs"] as? String)?.hasPrefix("https://dtvr.example/m/checks/") == true)
        #expect(alert["address"] as? String == "http://127.0.0.1:9/a.m3u8" && alert["what_to_do"] is String)
        #expect(await monitor.stop() == 0)
    }

    static func documentation(_ folder: TemporaryFolder) async throws {
        // A free port: with port 0, the monitor does not link to its own pages.
        let server = try LoopbackServer { _ in [] }
        let address = "127.0.0.1:\(server.port)"
        server.stop()
        for (options, prefix) in [
            (["--docs", "https://wiki.example/dtvr#"], "https://wiki.example/dtvr#"),
            (["--docs", "https://wiki.example/dtvr#", "--listen", address], "https://wiki.example/dtvr#"),
            (["--listen", address], "http://\(address)/checks/"),
        ] {
            let place = try TemporaryFolder()
            let monitor = try RunningMonitor(
                ["--limit-silence", "1s", "--format", "jsonl", "http://127.0.0.1:9/a.m3u8"] + options,
                in: place)
            try await wait(for: "the alert") { !monitor.lines("alert").isEmpty || monitor.process.hasEnded }
            let alert = try #require(monitor.lines("alert").first, "\(monitor.errors)")
            let check = try #require(alert["check"] as? String)
            #expect(alert["docs"] as? String == "\(prefix)\(check)")
            if options.contains("--listen") {
                let channel = try #require(alert["channel"] as? String)
                let page = try await monitor.answer(to: "channels/\(channel)").text
                let link = options.contains("--docs") ? prefix : "../checks/"
                #expect(page.contains("href=\"\(link)\(check)\""), "\(page)")
            }
            #expect(await monitor.stop() == 0)
        }
        #expect(try await status("monitor", "--docs", "wiki", "http://127.0.0.1:9/a.m3u8") == 2)
    }

    static func alertCommand(_ folder: TemporaryFolder) async throws {
        let program = try await folder.program("printf '%s' \"$1\" > \"$D/sentence\"")
        let monitor = try RunningMonitor(
            ["--limit-silence", "1s", "--alert-command", program, "http://127.0.0.1:9/a.m3u8"], in: folder)
        try await wait(for: "the alert") { folder.text("sentence").hasPrefix("Alert raised for ") }
        #expect(await monitor.stop() == 0)
    }
}
