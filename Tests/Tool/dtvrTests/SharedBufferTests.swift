import Foundation
import Glibc
import TestSupport
import Testing

/// `dtvr run` into a folder whose buffer another process owns and serves.
@Suite(.timeLimit(.minutes(30))) struct SharedBufferTests {
    private static let playlist = Tool.demo + "/index.m3u8"

    /// The number of tags in the demonstration.
    private static let tagCount = 13

    /// Returns the ids of the waiting tags of the demonstration, in order.
    private static func waiting(in store: String) async throws -> [String] {
        let export = try await Tool.run("store", "export", "--store", store, "--wait", "30s")
        #expect(export.status == 0, "\(export.errors)")
        return try export.output.split(separator: "\n").compactMap { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return object?["source"] as? String == playlist ? object?["id"] as? String : nil
        }
    }

    /// Starts a monitor, and waits until it serves its buffer.
    private static func monitor(in folder: TemporaryFolder, _ station: RunningStation) async throws
        -> RunningMonitor
    {
        let monitor = try RunningMonitor(["--format", "jsonl"] + station.urls, in: folder)
        try await wait(
            for: "the socket",
            asking: { FileManager.default.fileExists(atPath: folder.path + "/store/buffer.sock") })
        return monitor
    }

    @Test func run_whileAMonitorOwnsTheBuffer_storesThroughIt() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let station = try await RunningStation.start()
        let monitor = try await Self.monitor(in: folder, station)
        let mode = try FileManager.default.attributesOfItem(atPath: store + "/buffer.sock")
        #expect(mode[.posixPermissions] as? Int == 0o600)
        let run = try await Tool.run(
            "run", Self.playlist, "--store", store, "--wait", "0s", "--collector", "http://127.0.0.1:9")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("tags       13: 12 data, 1 info"), "\(run.output)")
        #expect(
            run.errors.contains("process \(monitor.process.processIdentifier) holds the buffer"),
            "\(run.errors)")
        let ids = try await Self.waiting(in: store)
        #expect(ids.count == Self.tagCount && Set(ids).count == Self.tagCount)
        let verify = try await Tool.run("store", "verify", "--store", store, "--wait", "0s")
        #expect(verify.status == 0 && verify.output.contains("intact"), "\(verify.errors)")
        let prune = try await Tool.run(
            "store", "prune", "--older-than", "0s", "--store", store, "--wait", "0s")
        #expect(prune.status == 0, "\(prune.errors)")
        #expect(try await Self.waiting(in: store).isEmpty)
        #expect(await monitor.stop() == 0)
    }

    /// Every tag of a run that ends with status 0 is on the disk, no matter when its owner was killed.
    @Test(arguments: [0, 40, 80, 120, 160, 200, 300, 400])
    func run_whoseOwnerIsKilled_losesNothing(milliseconds: Int32) async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let station = try await RunningStation.start()
        let monitor = try await Self.monitor(in: folder, station)
        let run = try Tool.start(
            arguments: ["run", Self.playlist, "--store", store, "--wait", "60s"], home: folder.path)
        defer { run.killAndWait() }
        try await onOwnThread { _ = poll(nil, 0, milliseconds) }
        monitor.process.killAndWait()
        #expect(await run.exitStatus() == 0)
        #expect(Set(try await Self.waiting(in: store)).count == Self.tagCount)
        let verify = try await Tool.run("store", "verify", "--store", store)
        #expect(verify.status == 0, "\(verify.output)")
    }

    /// Nothing is appended after the owner's end, so that only the end of the run can notice it.
    @Test func run_whoseOwnerIsKilledAfterTheLastAppend_exitsWith0() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let station = try await RunningStation.start()
        let monitor = try await Self.monitor(in: folder, station)
        let segment = Tool.demo + "/v360/seg00001.ts"
        let input = Pipe()
        let errors = try FileHandle.temporary()
        let run = try Tool.start(
            arguments: ["run", segment, "-", "--store", store, "--wait", "60s"], home: folder.path,
            input: input.fileHandleForReading, errors: errors)
        defer { run.killAndWait() }
        let isThere: @Sendable () async throws -> Bool = {
            try await Tool.run("store", "export", "--store", store, "--wait", "30s").output.contains(segment)
        }
        try await wait(for: "the tag", asking: isThere)
        monitor.process.killAndWait()
        try input.fileHandleForWriting.close()
        let status = await run.exitStatus()
        let text = try errors.contents()
        #expect(status == 0, "\(text)")
        #expect(try await isThere())
    }

    @Test func run_whileTheOwnerHangs_exitsWith4() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let station = try await RunningStation.start()
        let monitor = try await Self.monitor(in: folder, station)
        try await monitor.process.suspend()
        let errors = try FileHandle.temporary()
        let start = ContinuousClock.now
        let run = try Tool.start(
            arguments: ["run", Self.playlist, "--store", store, "--wait", "0s"], home: folder.path,
            errors: errors)
        #expect(await run.exitStatus() == 4)
        #expect(try errors.contents().contains("held by process"))
        // The end of the process itself, because this task may have waited much longer for its turn.
        let end = try #require(run.end)
        #expect(end - start < .seconds(20))
        monitor.process.signal(SIGCONT)
        #expect(await monitor.stop() == 0)
    }
}
