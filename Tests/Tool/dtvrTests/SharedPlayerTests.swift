import Foundation
import Glibc
import PlayerSession
import TestSupport
import Testing

/// Player sessions in a folder whose buffer `dtvr upload --follow` or `dtvr monitor` owns.
@Suite(.timeLimit(.minutes(30))) struct SharedPlayerTests {
    private static func session(in folder: TemporaryFolder) -> MeasurementSession {
        let session = MeasurementSession(
            appInfo: ["appid": "T1", "appname": "App", "appversion": "1"],
            options: SessionOptions(directory: folder.path + "/store"))
        session.play(["channelName": "One"])
        return session
    }

    @Test func session_whileAnUploadOwnsTheFolder_storesThroughIt() async throws {
        let folder = try TemporaryFolder()
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let upload = try await RunningUpload.start(to: collector.url, in: folder)
        let session = Self.session(in: folder)
        for number in 0..<10 { session.sendID3("www.nielsen.com/\(number)") }
        session.sendID3("www.nielsen.com/later", mediaTime: 5)
        #expect(await session.flush())
        #expect(session.lastError == nil && session.storage.accepted == 11)
        try await collector.wait(forAccepted: 12, from: upload.errors)
        session.playheadPosition(5)
        try await collector.wait(forAccepted: 13, from: upload.errors)
        #expect(await session.finish())
        // The app, the asset, the tags, the playback of the asset, and the run of the app.
        try await wait(for: "the playback", asking: { try await collector.counts() == [15, 0, 0] })
        #expect(await upload.stop() == 0)
    }

    @Test func session_whileAMonitorOwnsTheFolder_storesThroughIt() async throws {
        let folder = try TemporaryFolder()
        let station = try await RunningStation.start()
        let monitor = try RunningMonitor(["--format", "jsonl"] + station.urls, in: folder)
        let socket = folder.path + "/store/buffer.sock"
        try await wait(for: "the socket", asking: { FileManager.default.fileExists(atPath: socket) })
        let session = Self.session(in: folder)
        session.sendID3("www.nielsen.com/mine")
        #expect(await session.finish())
        #expect(session.lastError == nil)
        let export = try await Tool.run("store", "export", "--store", folder.path + "/store", "--wait", "0s")
        #expect(export.output.contains("www.nielsen.com/mine"), "\(export.errors)")
        #expect(await monitor.stop() == 0)
    }

    /// The session takes over, loses nothing, and no tag is accepted twice.
    @Test(arguments: [SIGKILL, SIGTERM], [1, 10, 25])
    func session_whoseOwnerEnds_takesOver(signal: Int32, count: Int) async throws {
        let folder = try TemporaryFolder()
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let upload = try await RunningUpload.start(to: collector.url, in: folder)
        let session = Self.session(in: folder)
        for number in 0..<50 {
            session.sendID3("www.nielsen.com/\(number)")
            if number == count { upload.process.signal(signal) }
            if number % 5 == 0 {
                #expect(await session.flush(), "\(number): \(String(describing: session.lastError))")
            }
        }
        #expect(await session.flush())
        #expect(session.lastError == nil && session.storage.accepted == 50)
        #expect(await upload.process.exitStatus() == (signal == SIGKILL ? 128 + SIGKILL : 0))
        #expect(await session.finish())
        let rest = try await Tool.run(
            "upload", "--store", folder.path + "/store", "--collector", collector.url)
        #expect(rest.status == 0, "\(rest.errors)")
        // The tags, the app, the asset and the run of the app.
        #expect(try await collector.counts()[0] == 53)
    }

    /// A killed process releases its lock only after its connections have ended.
    @Test func session_whoseKilledOwnerStillHoldsTheLock_waits() async throws {
        let folder = try TemporaryFolder()
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let upload = try await RunningUpload.start(to: collector.url, in: folder)
        let session = Self.session(in: folder)
        session.sendID3("www.nielsen.com/1")
        #expect(await session.flush())
        #expect(await upload.stop(SIGKILL) == 128 + SIGKILL)
        // A process other than the one whose id is in the file holds the lock, and ends after a moment.
        let holder = Process()
        holder.executableURL = URL(filePath: "/usr/bin/flock")
        holder.arguments = [folder.path + "/store/lock", "sh", "-c", "echo held; sleep 0.3"]
        let output = Pipe()
        holder.standardOutput = output
        try holder.run()
        #expect(try output.fileHandleForReading.read(upToCount: 5) == Data("held\n".utf8))
        session.sendID3("www.nielsen.com/2")
        #expect(await session.flush())
        #expect(session.lastError == nil && session.storage.accepted == 2)
        #expect(await session.finish())
        holder.waitUntilExit()
    }

    /// The owner starts while the session has the folder open, and waits for its end.
    @Test func uploadThatStartsLater_sendsTheTagsOfTheSession() async throws {
        let folder = try TemporaryFolder()
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let session = Self.session(in: folder)
        session.sendID3("www.nielsen.com/1")
        #expect(await session.flush())
        let upload = try RunningUpload(to: collector.url, in: folder, "--wait", "1h")
        try await wait(for: "the message") { upload.errors.contains("waiting for the buffer") }
        session.sendID3("www.nielsen.com/2")
        #expect(await session.finish())
        try await wait(for: "the tags", asking: { try await collector.counts() == [5, 0, 0] })
        #expect(await upload.stop() == 0)
    }

    @Test func ownerThatHangs_isReportedAndLosesNothing() async throws {
        let folder = try TemporaryFolder()
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let upload = try await RunningUpload.start(to: collector.url, in: folder)
        try await upload.process.suspend()
        let session = Self.session(in: folder)
        session.sendID3("www.nielsen.com/1")
        #expect(await session.flush() == false)
        #expect(session.lastError?.text.contains("\(upload.process.processIdentifier)") == true)
        upload.process.signal(SIGCONT)
        try await collector.wait(forAccepted: 3, from: upload.errors)
        #expect(await session.finish())
        #expect(await upload.stop() == 0)
    }

    /// The session gives up a request after 20 s, but the owner still holds the tag that waits for its playhead.
    @Test func ownerThatIsSlow_stillHoldsTheTagThatWaitsForItsPlayhead() async throws {
        let folder = try TemporaryFolder()
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let upload = try await RunningUpload.start(to: collector.url, in: folder)
        let session = Self.session(in: folder)
        session.sendID3("www.nielsen.com/later", mediaTime: 5)
        #expect(await session.flush())
        try await collector.wait(forAccepted: 2, from: upload.errors)
        try await upload.process.suspend()
        #expect(await session.flush() == false)
        upload.process.signal(SIGCONT)
        session.sendID3("www.nielsen.com/now")
        #expect(await session.flush())
        try await collector.wait(forAccepted: 3, from: upload.errors)
        session.playheadPosition(5)
        try await collector.wait(forAccepted: 4, from: upload.errors)
        let records = try RunningCollector.records(in: folder.path + "/collected")
        #expect(records.last?["owner"] as? String == "www.nielsen.com/later")
        #expect(records.last?["presented"] as? Bool == true)
        #expect(await session.finish())
        #expect(await upload.stop() == 0)
    }
}
