import Foundation
import TestSupport
import Testing

/// The users, passwords and queries of recorded input appear in nothing that the tool prints, stores or delivers.
@Suite(.timeLimit(.minutes(30))) struct AddressSecretTests {
    private static let secrets = ["us3r-name", "pass-s3cret", "query-s3cret", "segment-s3cret"]
    private static let commands = [
        ["check", "text"], ["check", "json"], ["check", "jsonl"], ["check", "csv"], ["check", "html"],
        ["check", "junit"], ["scan", "text"], ["scan", "jsonl"], ["scan", "csv"],
    ]

    /// Returns a server of presentations whose second segment is missing, so that there are errors too.
    private static func server() throws -> LoopbackServer {
        let segment = try EndlessInputTests.segment()
        return try LoopbackServer { request in
            let text =
                request.line.contains("main.m3u8")
                ? "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow.m3u8?sig=segment-s3cret\n"
                : EndlessInputTests.playlist(["a.ts?sig=segment-s3cret", "b.ts?sig=segment-s3cret"])
            if request.line.contains(".m3u8") { return ServedResource(text).answer(to: request) }
            if request.line.contains("b.ts") { return [response("404 Not Found")] }
            return ServedResource(segment).answer(to: request)
        }
    }

    private static func address(
        _ server: LoopbackServer, _ file: String, _ query: String = "1", password: String = ""
    ) -> String {
        "http://us3r-name:pass-s3cret\(password)@127.0.0.1:\(server.port)/\(file)?token=query-s3cret-\(query)"
    }

    private static func expectNoSecret(in text: String, _ what: String) {
        for secret in secrets { #expect(!text.contains(secret), "\(what): \(text)") }
    }

    @Test(arguments: commands) func report_hasNoSecret(command: [String]) async throws {
        let server = try Self.server()
        defer { server.stop() }
        for file in ["main.m3u8", "low.m3u8", "a.ts", "b.ts"] {
            let address = Self.address(server, file)
            let hidden = try await Tool.run(command[0], "--format", command[1], address)
            Self.expectNoSecret(in: hidden.output + hidden.errors, file)
            let shown = try await Tool.run(command[0], "--format", command[1], "--show-secrets", address)
            #expect(shown.status == hidden.status)
            #expect((shown.output + shown.errors).contains("segment-s3cret") == file.hasSuffix(".m3u8"))
        }
    }

    @Test func check_againstAnAddress_hasNoSecret() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let result = try await Tool.run(
            "check", "--all", "--against", Self.address(server, "main.m3u8"), SettingEffectTests.playlist)
        Self.expectNoSecret(in: result.output + result.errors, "--against")
    }

    @Test func record_hasNoSecret_andIsDeliveredOncePerWholeAddress() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        var count = 0
        for (query, repeats) in [("1", false), ("2", false), ("1", true)] {
            let run = try await Tool.run(
                "run", "--store", folder.path + "/store", "--collector", collector.url,
                Self.address(server, "main.m3u8", query))
            Self.expectNoSecret(in: run.output + run.errors, "run")
            let counts = try await collector.counts()
            if count == 0 { count = counts[0] }
            #expect(counts == (repeats ? [2 * count, count, 0] : [query == "1" ? count : 2 * count, 0, 0]))
        }
        #expect(count > 0)
        await collector.stop()
        let records = try RunningCollector.records(in: folder.path + "/collected")
        Self.expectNoSecret(in: "\(records)", "records")
        #expect(Set(records.compactMap { $0["source"] as? String }).count == 2)
    }

    @Test func resumedCheck_skipsTheSameAddress_andReadsAnotherQueryOrPassword() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let file = folder.path + "/lines.jsonl"
        for (query, password, lines) in [
            ("1", "", 1), ("1", "", 1), ("2", "", 2), ("2", "", 2), ("2", "2", 3), ("2", "2", 3),
        ] {
            _ = try await Tool.run(
                "check", "--format", "jsonl", "--resume", file,
                Self.address(server, "low.m3u8", query, password: password))
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(text.split(separator: "\n").count == lines)
            Self.expectNoSecret(in: text, "--resume")
        }
    }

    @Test func localFile_keepsItsName() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("a@b?c.ts", EndlessInputTests.segment())
        let list = try folder.write("index.m3u8", EndlessInputTests.playlist(["a@b%3Fc.ts"]).utf8)
        for (input, name) in [("\(folder.path)/a@b?c.ts", "a@b?c.ts"), (list, "a@b%3Fc.ts")] {
            let scan = try await Tool.run("scan", "--format", "jsonl", input)
            #expect(scan.status == 0 && scan.output.contains(name), "\(scan)")
        }
    }
}
