import Foundation
import Glibc
import TestSupport
import Testing

/// `dtvr store` while a monitor holds the buffer.
@Suite(.timeLimit(.minutes(30))) struct ServedBufferTests {
    private static func objects(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test func monitor_answersListExportAndStatus_withoutWaiting() async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start()
        let monitor = try RunningMonitor(["--format", "jsonl"] + station.urls, in: folder)
        try await wait(for: "tags") { monitor.lines("tag").count >= 3 }
        let store = folder.path + "/store"
        let export = try await Tool.run("store", "export", "--store", store, "--wait", "0s")
        #expect(export.status == 0 && export.errors.isEmpty, "\(export.errors)")
        let exported = try Self.objects(export.output).compactMap { $0["owner"] as? String }
        let told = monitor.lines("tag").compactMap { ($0["tag"] as? [String: Any])?["owner"] as? String }
        #expect(exported.count >= 3 && exported == Array(told.prefix(exported.count)))
        let list = try await Tool.run("store", "list", "--store", store, "--wait", "0s")
        #expect(list.status == 0 && list.outputLines.count > exported.count)
        #expect(list.output.contains("mpegts"), "\(list.output)")
        let status = try await Tool.run("store", "status", "--store", store, "--format", "json")
        let object = try #require(try Self.objects(status.output).first)
        #expect(object["held_by"] as? Int == Int(monitor.process.processIdentifier))
        #expect(try #require(object["waiting"] as? Int) >= exported.count)
        // An upload needs exclusive access to the buffer.
        let upload = try await Tool.run(
            "upload", "--collector", "http://127.0.0.1:9", "--store", store, "--wait", "0s")
        #expect(upload.status == 4 && upload.errors.contains("held by process"), "\(upload.errors)")
        #expect(await monitor.stop() == 0)
        #expect(!FileManager.default.fileExists(atPath: store + "/buffer.sock"))
    }

    /// The files of a killed monitor neither block access to the buffer nor prevent the next monitor from serving it.
    @Test func socketOfAKilledMonitor_blocksNoOtherProcess() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let station = try await RunningStation.start()
        for round in 0...1 {
            let monitor = try RunningMonitor(["--format", "jsonl"] + station.urls, in: folder)
            try await wait(for: "tags") {
                !monitor.lines("state").isEmpty && monitor.errors.contains("collector")
            }
            try await wait(
                for: "an answer",
                asking: {
                    try await Tool.run("store", "list", "--store", store, "--wait", "0s").status == 0
                })
            monitor.process.killAndWait()
            #expect(FileManager.default.fileExists(atPath: store + "/buffer.sock"))
            let list = try await Tool.run("store", "list", "--store", store, "--wait", "10s")
            #expect(list.status == 0 && list.errors.isEmpty, "round \(round): \(list.errors)")
        }
    }

    @Test func status_whileTheMonitorHangs_doesNotWait() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let station = try await RunningStation.start()
        let monitor = try RunningMonitor(["--format", "jsonl"] + station.urls, in: folder)
        try await wait(for: "tags") { !monitor.lines("tag").isEmpty }
        try await wait(for: "a status") { FileManager.default.fileExists(atPath: store + "/status.json") }
        try await monitor.process.suspend()
        let status = try await Tool.run("store", "status", "--store", store)
        #expect(status.status == 0 && status.output.contains("held by    process"), "\(status.errors)")
        let list = try await Tool.run("store", "list", "--store", store, "--wait", "0s")
        #expect(list.status == 4 && list.errors.contains("held by process"), "\(list.errors)")
        monitor.process.signal(SIGCONT)
        #expect(await monitor.stop() == 0)
    }

    @Test func retry_whileTheMonitorRuns_makesItDeliverRefusedTags() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let station = try await RunningStation.start()
        // The first tag is refused the first time, whichever tag it is.
        let picky = try await RunningCollector.start(
            folder: folder.path + "/collected", "--fault", "poison=1@first=1")
        let monitor = try RunningMonitor(
            ["--format", "jsonl", "--collector", picky.url] + station.urls, in: folder)
        try await wait(
            for: "a dead letter",
            asking: {
                try await Tool.run("store", "list", "--dead", "--store", store, "--wait", "0s").outputLines
                    .count == 2
            })
        let dead = try await Tool.run("store", "export", "--dead", "--store", store, "--wait", "0s")
        // A dead letter contains the reason, unlike a waiting tag.
        #expect(try Self.objects(dead.output).map { $0["code"] is String } == [true], "\(dead.output)")
        let retry = try await Tool.run("store", "retry", "--store", store, "--wait", "0s")
        #expect(retry.status == 0 && retry.output == "put back 1 tag\n", "\(retry.output)\(retry.errors)")
        try await wait(
            for: "the delivery",
            asking: {
                let status = try await Tool.run("store", "status", "--store", store, "--format", "json")
                let object = try Self.objects(status.output).first
                return object?["dead_letters"] as? Int == 0 && (object?["delivered"] as? Int ?? 0) >= 2
            })
        #expect(await monitor.stop() == 0)
    }
}
