import Foundation
import Synchronization
import TestSupport
import Testing

/// The evidence of alerts that `dtvr monitor` records, in real time.
@Suite(.timeLimit(.minutes(30))) struct EvidenceTests {
    /// Returns the object in `evidence.json` of a folder, after the requests have been written to it.
    private static func facts(_ folder: String) async throws -> [String: Any] {
        let file = folder + "/evidence.json"
        try await wait(for: "the requests") {
            let bytes = FileManager.default.contents(atPath: file) ?? Data()
            let object = (try? JSONSerialization.jsonObject(with: bytes)) as? [String: Any]
            return (object?["requests"] as? [Any])?.isEmpty == false
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        return try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    }

    @Test func alert_hasTheNewestSegmentsAsEvidence_whichCheckReads() async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start()
        let monitor = try RunningMonitor(
            [
                "--format", "jsonl", "--limit-silence", "2s", "--limit-alert-clear", "0s",
                "--limit-alert-clear-tags", "1", "--limit-alert-hold", "0s",
            ] + station.urls, in: folder)
        try await wait(for: "the alert and its end") { monitor.lines("alert").count >= 2 }
        let (raised, cleared) = (monitor.lines("alert")[0], monitor.lines("alert")[1])
        let path = try #require(raised["evidence"] as? String)
        #expect(path.hasPrefix(folder.path + "/store/evidence/") && path.contains("presence.silent"))
        #expect(cleared["evidence"] as? String == path)
        let facts = try await Self.facts(path)
        let alert = try #require(facts["alert"] as? [String: Any])
        for key in ["id", "check", "severity", "since", "detail"] {
            #expect(alert[key] as? String == raised[key] as? String)
        }
        let requests = try #require(facts["requests"] as? [[String: Any]])
        #expect(requests[0]["file"] as? String == "playlist.txt" && requests[0]["status"] as? Int == 200)
        let headers = try #require(requests[0]["headers"] as? [String])
        #expect(headers.contains { $0.lowercased().hasPrefix("etag: ") })
        let files = Set(try FileManager.default.contentsOfDirectory(atPath: path))
        #expect(files.isSuperset(of: ["evidence.json", "index.m3u8", "playlist.txt"]))
        let segments = files.filter { $0.hasPrefix("segment-") && $0.hasSuffix(".ts") }
        // The window of the live channel.
        #expect(segments.count == 6 && files.count == 9)
        #expect(requests.dropFirst().allSatisfy { segments.contains($0["file"] as? String ?? "") })
        #expect(await monitor.stop() == 0)
        for input in [path, path + "/index.m3u8"] {
            let result = try await Tool.run("check", "--format", "json", input)
            #expect([0, 1].contains(result.status), "\(result.errors)")
            let verdict = try #require(
                try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
            let tags = try #require(verdict["tags"] as? [String: Any], "\(result.output.prefix(300))")
            #expect((tags["data"] as? Int ?? 0) >= 3, "\(tags)")
        }
        let scanned = try await Tool.run("scan", "--format", "jsonl", path + "/index.m3u8")
        #expect(scanned.status == 0 && scanned.errors.isEmpty)
    }

    @Test func channelThatCannotBeLoaded_hasTheServerErrorAsEvidence() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in
            [
                response(
                    "404 Not Found", headers: ["Server: nginx", "Set-Cookie: session=c00kie-secret"], "no")
            ]
        }
        defer { server.stop() }
        let monitor = try RunningMonitor(
            ["--format", "jsonl", "--limit-silence", "1s", server.base + "/a.m3u8"], in: folder)
        try await wait(for: "the alert") { !monitor.lines("alert").isEmpty }
        let path = try #require(monitor.lines("alert")[0]["evidence"] as? String)
        let facts = try await Self.facts(path)
        let request = try #require((facts["requests"] as? [[String: Any]])?.first)
        #expect(request["failure"] as? String == "the server answered 404")
        #expect(await monitor.stop() == 0)
    }

    @Test func evidenceFolder_thatCannotBeCreated_isReportedOnce_andAlertsContinue() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/store", withIntermediateDirectories: true)
        _ = try folder.write("store/evidence", "no folder".utf8)
        let monitor = try RunningMonitor(
            [
                "--format", "jsonl", "--limit-silence", "1s", "http://127.0.0.1:9/a.m3u8",
                "http://127.0.0.1:9/b.m3u8",
            ], in: folder)
        try await wait(for: "the alerts") { monitor.lines("alert").count >= 2 }
        #expect(monitor.lines("alert").allSatisfy { $0["evidence"] is NSNull })
        #expect(await monitor.stop() == 0)
        #expect(
            monitor.errors.matches(of: #/evidence of alerts is not recorded/#).count == 1, "\(monitor.errors)"
        )
    }
}
