import Foundation
import Glibc
import TestSupport
import Testing

/// Commands that use the folder whose buffer `dtvr upload --follow` owns and serves.
@Suite(.timeLimit(.minutes(30))) struct SharedUploadTests {
    private static let playlist = Tool.demo + "/index.m3u8"

    /// The number of tags in the demonstration.
    private static let tagCount = 13

    /// While the collector does not answer, other commands append tags and read the buffer.
    @Test func commands_whileACollectorHangs_useTheBuffer() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        #expect(try await Tool.run("run", Self.playlist, "--store", store).status == 0)
        let server = try LoopbackServer { _ in [.hang] }
        defer { server.stop() }
        let upload = try await RunningUpload.start(to: server.base, in: folder)
        try await wait(for: "a request") { !server.requests.isEmpty }
        let run = try await Tool.run("run", Self.playlist, "--store", store, "--wait", "0s")
        #expect(run.status == 0, "\(run.errors)")
        let verify = try await Tool.run("store", "verify", "--store", store, "--wait", "0s")
        #expect(verify.status == 0, "\(verify.errors)")
        let status = try await Tool.run("store", "status", "--store", store, "--format", "json")
        #expect(status.output.contains("\"held_by\":\(upload.process.processIdentifier)"), "\(status.output)")
        #expect(await upload.stop() == 0)
        #expect(!FileManager.default.fileExists(atPath: store + "/buffer.sock"))
    }

    /// Each tag that another process appends later is sent once.
    @Test func upload_sendsTagsAppendedByRuns() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let upload = try await RunningUpload.start(to: collector.url, in: folder)
        var sent = 0
        for segment in ["seg00000.ts", "seg00001.ts", "seg00003.ts"] {
            let run = try await Tool.run("run", Tool.demo + "/audio/" + segment, "--store", store)
            #expect(run.status == 0, "\(run.errors)")
            let line = try #require(run.outputLines.first { $0.hasPrefix("tags       ") })
            sent += try #require(Int(line.dropFirst(11).prefix { $0.isNumber }))
            let expected = sent
            try await wait(for: "its tags", asking: { try await collector.counts()[0] >= expected })
        }
        #expect(sent >= 3)
        #expect(try await collector.counts() == [sent, 0, 0])
        #expect(await upload.stop() == 0)
        #expect(upload.output.contains("\(sent) tags delivered"), "\(upload.output)")
        let status = try await Tool.run("store", "status", "--store", store)
        #expect(
            status.output.contains("waiting    0 tags\n") && status.output.contains("delivered  \(sent),"))
    }

    /// Every tag of a run that ends with status 0 reaches the collector, and is accepted once.
    @Test(arguments: [SIGKILL, SIGTERM], [0, 100, 200, 300])
    func run_whoseOwnerEnds_losesNothing(signal: Int32, milliseconds: Int32) async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let upload = try await RunningUpload.start(to: collector.url, in: folder)
        let run = try Tool.start(
            arguments: ["run", Self.playlist, "--store", store, "--wait", "60s"], home: folder.path)
        defer { run.killAndWait() }
        try await onOwnThread { _ = poll(nil, 0, milliseconds) }
        #expect(await upload.stop(signal) == (signal == SIGKILL ? 128 + SIGKILL : 0))
        #expect(await run.exitStatus() == 0)
        let verify = try await Tool.run("store", "verify", "--store", store)
        #expect(verify.status == 0, "\(verify.output)")
        let rest = try await Tool.run("upload", "--store", store, "--collector", collector.url)
        #expect(rest.status == 0, "\(rest.errors)")
        #expect(try await collector.counts()[0] == Self.tagCount)
    }

    @Test func secondOwner_exitsWith4() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let upload = try await RunningUpload.start(to: "http://127.0.0.1:9", in: folder)
        for call in [
            ["upload", "--follow", "--collector", "http://127.0.0.1:9"],
            ["upload", "--collector", "http://127.0.0.1:9"], ["monitor", "http://127.0.0.1:9/index.m3u8"],
        ] {
            let result = try await Tool.run(arguments: call + ["--store", store, "--wait", "0.2s"])
            #expect(result.status == 4, "\(call)")
            #expect(
                result.errors.contains("held by process \(upload.process.processIdentifier)"),
                "\(result.errors)")
        }
        #expect(await upload.stop() == 0)
    }

    /// The upload does not delete the tags of the new buffer, which have the same sequence numbers.
    @Test func folder_thatIsRemoved_hasANewOwner() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let upload = try await RunningUpload.start(to: collector.url, in: folder)
        let run = try await Tool.run("run", Self.playlist, "--store", store)
        #expect(run.status == 0, "\(run.errors)")
        try await collector.wait(forAccepted: Self.tagCount, from: upload.errors)
        try FileManager.default.removeItem(atPath: store)
        #expect(try await Tool.run("run", Self.playlist, "--store", store).status == 0)
        _ = await upload.stop()
        let status = try await Tool.run("store", "status", "--store", store)
        #expect(status.output.contains("waiting    13 tags,"), "\(status.output)")
    }
}
