import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// The destinations of alerts of `dtvr monitor` besides its output, in real time.
@Suite(.timeLimit(.minutes(30))) struct AlertDeliveryTests {
    /// The answer of a webhook, which a test can change.
    private final class Answer: Sendable {
        private let status: Mutex<String>
        init(_ status: String) { self.status = Mutex(status) }
        func set(_ status: String) { self.status.withLock { $0 = status } }
        var steps: [LoopbackServer.Step] { [response(status.withLock { $0 })] }
    }

    /// Starts a live channel whose tags stop immediately.
    private static func silentStation() async throws -> RunningStation {
        let folder = try TemporaryFolder()
        let script = try folder.write("script", "at 0s channel 1: no-tags\n".utf8)
        return try await RunningStation.start("--script", script)
    }

    /// An alert is raised two seconds after each tag, and cleared by the next tag.
    private static let often = [
        "--format", "jsonl", "--limit-silence", "2s", "--limit-alert-clear", "0s", "--limit-alert-clear-tags",
        "1", "--limit-alert-hold", "0s", "--limit-alert-hold-maximum", "0s",
    ]

    @Test func webhookAndCommand_receiveTheSameAlertsAsTheOutput() async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start()
        let server = try LoopbackServer { _ in [response("200 OK")] }
        defer { server.stop() }
        let key = try folder.write("key", "  the key \n".utf8)
        let program = try await folder.program("cat > \"$D/$$.json\"; printf '%s\\n' \"$1\" > \"$D/$$.text\"")
        let monitor = try RunningMonitor(
            Self.often + [
                "--alert-webhook", server.base + "/hook", "--alert-key-file", key, "--alert-command", program,
            ] + station.urls, in: folder)
        try await wait(for: "both") { server.requests.count >= 2 && folder.names(".json").count >= 2 }
        #expect(await monitor.stop() == 0)
        let alerts = monitor.output.split(separator: "\n").filter { $0.hasPrefix(#"{"type":"alert""#) }
            .map(String.init)
        #expect(alerts[0].contains(#""action":"raise""#) && alerts[1].contains(#""action":"clear""#))
        #expect(alerts.starts(with: server.requests.map(\.body)))
        #expect(Set(folder.names(".json").map { folder.text($0) }).isSubset(of: alerts.map { $0 + "\n" }))
        let sentences = folder.names(".text").map { folder.text($0) }
        for word in ["raised", "cleared"] {
            #expect(
                sentences.contains {
                    $0.hasPrefix("Alert \(word) for ") && $0.contains(": presence.silent (fail): ")
                })
        }
        for (request, line) in zip(server.requests, alerts) {
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let (id, action) = (object["id"] as? String ?? "", object["action"] as? String ?? "")
            #expect(request.field("Idempotency-Key") == "\(id)/\(action)")
            let oracle = try await FinishedProcess.of(
                "/usr/bin/openssl", ["dgst", "-sha256", "-hmac", "the key", "-r"],
                input: Data("\(request.field("X-DTVR-Timestamp") ?? "").\(request.body)".utf8))
            let code = String(decoding: oracle.output, as: UTF8.self).prefix { $0 != " " }
            #expect(request.field("X-DTVR-Signature") == "sha256=\(code)")
        }
    }

    @Test func alert_survivesAKill_andIsSentWhenTheWebhookRecovers() async throws {
        let folder = try TemporaryFolder()
        let station = try await Self.silentStation()
        let answer = Answer("503 Service Unavailable")
        let server = try LoopbackServer { _ in answer.steps }
        defer { server.stop() }
        let call =
            ["--format", "jsonl", "--limit-silence", "2s", "--alert-webhook", server.base] + station.urls
        var ids: [String] = []
        for round in 1...3 {
            let count = server.requests.count
            let monitor = try RunningMonitor(call, in: folder)
            try await wait(for: "a try of round \(round)") {
                server.requests.count > count
                    && monitor.errors.contains("alerts are queued and will be sent again")
            }
            #expect(await monitor.stop(SIGKILL) != 0)
            ids += monitor.lines("alert").compactMap { $0["id"] as? String }
        }
        // Raised once: the alert is known after a restart.
        #expect(ids.count == 1)
        #expect(Set(server.requests.map { $0.field("Idempotency-Key") }) == ["\(ids[0])/raise"])
        #expect(Set(server.requests.map(\.body)).count == 1)
        answer.set("200 OK")
        let count = server.requests.count
        let monitor = try RunningMonitor(call, in: folder)
        try await wait(for: "the last try") { server.requests.count > count }
        try await wait(for: "its receipt") { folder.text("store/alerts-webhook.json").contains("/raise") }
        #expect(await monitor.stop(SIGKILL) != 0)
        // It was accepted, so the next monitor sends nothing.
        let last = try RunningMonitor(call, in: folder)
        try await wait(for: "segments") { last.errors.contains("tags stay in the buffer") }
        try await wait(for: "a state") { !last.lines("state").isEmpty }
        #expect(await last.stop() == 0)
        #expect(server.requests.count == count + 1)
    }

    @Test(.timeLimit(.minutes(30))) func webhookAndCommand_thatHang_delayNothingElse() async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start()
        let server = try LoopbackServer { _ in [.hang] }
        defer { server.stop() }
        let program = try await folder.program("echo $$ > \"$D/$$.started\"; sleep 1000")
        let monitor = try RunningMonitor(
            Self.often + ["--alert-webhook", server.base, "--alert-command", program] + station.urls,
            in: folder)
        try await wait(for: "the clear") { monitor.lines("alert").count >= 2 }
        try await wait(for: "the programs") { folder.names(".started").count >= 2 }
        let start = ContinuousClock.now
        #expect(await monitor.stop() == 0)
        #expect(start.duration(to: try #require(monitor.process.end)) < .seconds(20))
        for name in folder.names(".started") {
            let number = folder.text(name).trimmingCharacters(in: .whitespacesAndNewlines)
            try await wait(for: "the end of the program") {
                let status = FileManager.default.contents(atPath: "/proc/\(number)/stat") ?? Data()
                return status.isEmpty || String(decoding: status, as: UTF8.self).contains(") Z ")
            }
        }
    }

    @Test func alertCommand_thatFails_isReportedOnce_andReceivesNoToken() async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start()
        let program = try await folder.program("env > \"$D/$$.env\"; exit 7")
        let monitor = try RunningMonitor(
            Self.often + ["--alert-command", program] + station.urls, in: folder,
            environment: ["DTVR_TOKEN": "t0ken-of-ours", "ONE_TOKEN": "t0ken-of-a-channel", "TZ": "UTC"])
        try await wait(for: "both") { folder.names(".env").count >= 2 }
        try await wait(for: "the failure") { monitor.errors.contains("failed with status 7") }
        #expect(await monitor.stop() == 0)
        #expect(monitor.errors.matches(of: #/the alert command/#).count == 1)
        for name in folder.names(".env") {
            #expect(folder.text(name).contains("TZ=UTC") && folder.text(name).contains("PATH="))
            #expect(!folder.text(name).contains("t0ken"))
        }
    }

    @Test(arguments: [
        (["--alert-webhook", "ftp://secret.example/x"], "--alert-webhook takes an http or https address"),
        (["--alert-key-file", "/dev/null"], "--alert-key-file: cannot read '/dev/null'"),
        (
            ["--alert-key-file", "/no/such/key"],
            "--alert-key-file: cannot read '/no/such/key': no such file or directory"
        ),
        (["--alert-key-file", "/tmp"], "--alert-key-file: cannot read '/tmp': is a directory"),
        (["--alert-format", "smoke"], "--alert-format takes "),
        (
            ["--alert-webhook", "http://127.0.0.1:9/", "--alert-format", "pagerduty"],
            "--alert-format pagerduty requires --alert-key-file with the routing key"
        ),
        (["--public-url", "dtvr.example"], "--public-url takes an http or https address"),
        (["--public-url", "https://dtvr.example/?a"], "--public-url takes an http or https address"),
        (["--alert-key-file", "/etc/passwd"], "--alert-key-file requires --alert-webhook"),
        (
            ["--alert-command", "/no/such/program"],
            "--alert-command: '/no/such/program' is not an executable file"
        ),
        (["--alert-command", "/etc/passwd"], "--alert-command: '/etc/passwd' is not an executable file"),
        (["--alert-command", "/tmp"], "--alert-command: '/tmp' is not an executable file"),
    ])
    func callThatIsWrong_isStatus2(call: [String], message: String) async throws {
        let result = try await Tool.run(arguments: ["monitor", "http://127.0.0.1:9/a.m3u8"] + call)
        #expect(result.status == 2 && result.errors.contains(message), "\(result.errors)")
        #expect(!result.errors.contains("secret.example"))
    }
}

extension TemporaryFolder {
    /// Writes an executable shell script, in which `$D` is this folder, and returns its path.
    func program(_ text: String) async throws -> String {
        try await script("program", "D='\(path)'\n\(text)")
    }

    /// Returns the names of the files with a suffix.
    func names(_ ending: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { $0.hasSuffix(ending) }
    }

    func text(_ name: String) -> String {
        String(decoding: FileManager.default.contents(atPath: "\(path)/\(name)") ?? Data(), as: UTF8.self)
    }
}
