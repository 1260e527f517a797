import Foundation
import TestSupport
import Testing

extension SettingEffectTests {
    /// With a key the alert is signed; without one it is not.
    static func alertWebhook(_ folder: TemporaryFolder) async throws {
        let key = try folder.file("key", "key".utf8)
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
            let signature = server.requests[0].field("X-DTVR-Signature")
            #expect((signature != nil) == !options.isEmpty)
        }
    }

    static func alertCommand(_ folder: TemporaryFolder) async throws {
        let program = try folder.program("printf '%s' \"$1\" > \"$D/sentence\"")
        let monitor = try RunningMonitor(
            ["--limit-silence", "1s", "--alert-command", program, "http://127.0.0.1:9/a.m3u8"], in: folder)
        try await wait(for: "the alert") { folder.text("sentence").hasPrefix("Alert raised for ") }
        #expect(await monitor.stop() == 0)
    }
}
