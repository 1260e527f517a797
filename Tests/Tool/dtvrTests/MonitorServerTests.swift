import Foundation
import HTTPTransfer
import TestSupport
import Testing

/// `dtvr monitor --listen` as a user runs it.
@Suite(.timeLimit(.minutes(30))) struct MonitorServerTests {
    /// The child process has the hard limit of the test's own process.
    @Test func softLimitOfOpenFiles_isRaisedToTheHardLimit() async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start()
        let tool = try await folder.script("limited", "ulimit -Sn 128\nexec \(Tool.path) \"$@\"")
        let monitor = try await RunningMonitor.start(station.urls, in: folder, tool: tool)
        let metrics = try await monitor.answer(to: "metrics").text
        let limits = try String(contentsOfFile: "/proc/self/limits", encoding: .utf8)
        let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max open files") })
        let hard = try #require(Int(line.split(separator: " ")[4]))
        #expect(metrics.contains("\nprocess_max_fds \(hard)\n"), "\(metrics.suffix(1_500))")
        #expect(await monitor.stop() == 0)
    }

    @Test(arguments: ["127.0.0.1:0", "[::1]:0", "localhost:0"])
    func monitor_servesMetricsOfItsChannels(address: String) async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start("--channels", "2")
        let monitor = try await RunningMonitor.start(station.urls, in: folder, listen: address)
        let host = address == "[::1]:0" ? "[::1]" : "127.0.0.1"
        #expect(monitor.url.hasPrefix("http://\(host):"))
        #expect(try await monitor.answer(to: "healthz") == (200, "ok\n"))
        try await wait(for: "the monitor to be ready") {
            try await monitor.answer(to: "readyz").status == 200
        }
        try await wait(for: "a tag of each channel") {
            let text = try await monitor.answer(to: "metrics").text
            return text.matches(of: #/dtvr_tags_total\{channel="[^"]+",kind="data"\} [1-9]/#).count == 2
        }
        #expect(try await monitor.answer(to: "nothing").status == 404)
        #expect(try await monitor.answer(to: "metrics", .post(body: Array("x".utf8))).status == 405)
        #expect(try await monitor.answer(to: "api/reload", .post(body: [])).status == 403)
        #expect(await monitor.stop() == 0)
        _ = await station.stop()
    }

    @Test func channelChanges_surviveAKill() async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start("--channels", "3")
        let token = "a-token-of-tests-0123"
        let tokenFile = try folder.write("token", "\(token)\n".utf8)
        let text = "[channel one]\nurl = \(station.urls[0])\n[channel two]\nurl = \(station.urls[1])\n"
        let channels = try folder.write("channels", text.utf8)
        func start() async throws -> RunningMonitor {
            try await .start(["--channels", channels, "--listen-token-file", tokenFile], in: folder)
        }
        func states(_ monitor: RunningMonitor) async throws -> [String: String] {
            let text = try await monitor.answer(to: "api/channels", token: token).text
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [[String: Any]]]
            let pairs = (object?["channels"] ?? []).map {
                ($0["id"] as? String ?? "", $0["state"] as? String ?? "")
            }
            return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        }
        var monitor = try await start()
        #expect(try await monitor.answer(to: "api/channels").status == 401)
        #expect(try await monitor.answer(to: "healthz").status == 200)
        let body = Array("{\"id\":\"three\",\"url\":\"\(station.urls[2])\"}".utf8)
        #expect(try await monitor.answer(to: "api/channels", .post(body: body)).status == 401)
        #expect(try await monitor.answer(to: "api/channels", .post(body: body), token: token).status == 201)
        #expect(
            try await monitor.answer(to: "api/channels/two/pause", .post(body: []), token: token).status
                == 200)
        try await wait(for: "the channel that was added") {
            try await states(monitor) == ["one": "healthy", "two": "paused", "three": "healthy"]
        }
        #expect(await monitor.stop(SIGKILL) != 0)
        monitor = try await start()
        try await wait(for: "the channels after the kill") {
            try await states(monitor) == ["one": "healthy", "two": "paused", "three": "healthy"]
        }
        #expect(
            try await monitor.answer(to: "api/channels/two/resume", .post(body: []), token: token).status
                == 200)
        try await wait(for: "the resumed channel") { try await states(monitor)["two"] == "healthy" }
        #expect(await monitor.stop() == 0)
        #expect(!monitor.errors.contains(token))
    }

    @Test func listenToken_allowsAnyListenAddress_andMustNotBeShort() async throws {
        let folder = try TemporaryFolder()
        let short = try folder.write("short", "only-15-letters\n".utf8)
        let arguments = ["monitor", "http://127.0.0.1:1/a.m3u8", "--store", folder.path + "/store"]
        let refused = try await Tool.run(
            arguments: arguments + ["--listen", "127.0.0.1:0", "--listen-token-file", short])
        #expect(
            refused.status == 2 && refused.errors.contains("shorter than 16 characters"), "\(refused.errors)")
        let alone = try await Tool.run(arguments: arguments + ["--listen-token-file", short + "x"])
        #expect(alone.status == 2, "\(alone.errors)")
        let file = try folder.write("token", "exactly-16-bytes".utf8)
        let unused = try await Tool.run(arguments: arguments + ["--listen-token-file", file])
        #expect(unused.status == 2 && unused.errors.contains("requires --listen"), "\(unused.errors)")
        let monitor = try await RunningMonitor.start(
            ["http://127.0.0.1:1/a.m3u8", "--listen-token-file", file], in: folder, listen: "0.0.0.0:0")
        #expect(monitor.url.hasPrefix("http://0.0.0.0:"))
        #expect(await monitor.stop() == 0)
    }

    @Test func monitor_isReadyOnceEveryChannelWasTried() async throws {
        let folder = try TemporaryFolder()
        let missing = [LoopbackServer.Step.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")]
        let failing = try LoopbackServer { _ in missing }
        defer { failing.stop() }
        let released = DispatchSemaphore(value: 0)
        let late = try LoopbackServer { _ in
            released.wait()
            released.signal()
            return missing
        }
        defer { late.stop() }
        let monitor = try await RunningMonitor.start(
            ["\(failing.base)/a.m3u8", "\(late.base)/b.m3u8"], in: folder)
        try await wait(for: "the channel that fails at once") {
            try await monitor.answer(to: "metrics").text.contains(
                #/dtvr_findings_total.*playlist\.http"\} [1-9]/#)
        }
        #expect(try await monitor.answer(to: "healthz").status == 200)
        released.signal()
        try await wait(for: "the other") { try await monitor.answer(to: "readyz").status == 200 }
        #expect(await monitor.stop() == 0)
    }

    @Test(arguments: [
        "0.0.0.0:9464", "[::]:9464", "192.0.2.1:9464", "127.0.0.1", "9464", ":9464", "example.com:9464",
        "127.0.0.1:99999", "",
    ])
    func listenAddress_withoutALoopbackHostAndPort_isRefused(address: String) async throws {
        let result = try await Tool.run(
            "monitor", "http://127.0.0.1:1/a.m3u8", "--listen", address)
        #expect(result.status == 2)
        #expect(result.errors.contains("--listen "), "\(result.errors)")
    }

    @Test func port_inUse_isReported_andTheMonitorExits() async throws {
        let folder = try TemporaryFolder()
        let taken = try LoopbackServer { _ in [.hang] }
        defer { taken.stop() }
        let port = taken.port
        let result = try await Tool.run(
            "monitor", "http://127.0.0.1:1/a.m3u8", "--store", folder.path + "/store", "--listen",
            "127.0.0.1:\(port)")
        #expect(result.status == 2)
        #expect(
            result.errors.contains("--listen: cannot listen at 127.0.0.1, port \(port)"), "\(result.errors)")
    }
}
