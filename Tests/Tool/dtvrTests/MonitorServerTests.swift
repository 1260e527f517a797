import Foundation
import HTTPTransfer
import TestSupport
import Testing

/// `dtvr monitor --listen` as a user runs it.
@Suite(.timeLimit(.minutes(10))) struct MonitorServerTests {
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
        #expect(await monitor.stop() == 0)
        _ = await station.stop()
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
    func address_thatIsNotOfThisMachineAlone_isRefused(address: String) async throws {
        let result = try await Tool.run(
            "monitor", "http://127.0.0.1:1/a.m3u8", "--listen", address)
        #expect(result.status == 2)
        #expect(result.errors.contains("--listen "), "\(result.errors)")
    }

    @Test func port_thatIsTaken_isSaidAndTheMonitorEnds() async throws {
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
