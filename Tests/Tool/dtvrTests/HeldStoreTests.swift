import Foundation
import TestSupport
import Testing

/// The commands while another process holds the buffer.
@Suite(.timeLimit(.minutes(30))) struct HeldStoreTests {
    private static let playlist = Tool.demo + "/index.m3u8"

    /// A `dtvr run` that holds a buffer until its standard input ends.
    private final class Holder {
        let process: ChildProcess
        private let input = Pipe()

        init(_ folder: TemporaryFolder, store: String) async throws {
            process = try Tool.start(
                arguments: ["run", "-", "--store", store], home: folder.path,
                input: input.fileHandleForReading)
            try input.fileHandleForReading.close()
            try await heldBy(process.processIdentifier, store)
        }

        func letGo() throws { try input.fileHandleForWriting.close() }

        deinit { process.killAndWait() }
    }

    /// Waits until the store reports that a process holds it.
    private static func heldBy(_ process: Int32, _ store: String) async throws {
        try await wait(
            for: "the process that holds the store",
            asking: {
                let status = try await Tool.run("store", "status", "--format", "json", "--store", store)
                let object =
                    try? JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any]
                return object?["held_by"] as? Int == Int(process)
            })
    }

    @Test(arguments: [
        ["run", playlist], ["store", "verify"], ["store", "list"],
        ["upload", "--collector", "http://127.0.0.1:9"],
        ["upload", "--follow", "--collector", "http://127.0.0.1:9"],
        ["monitor", "http://127.0.0.1:9/index.m3u8"],
    ])
    func store_thatStaysHeld_exitsWith4_andNamesTheHolderAndTime(call: [String]) async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let holder = try await Holder(folder, store: store)
        let result = try await Tool.run(arguments: call + ["--store", store, "--wait", "0.2s"])
        #expect(result.status == 4)
        let time = #/held by process (\d+) since (\S+) (\S+) UTC/#
        let held = try #require(try time.firstMatch(in: result.errors)?.output, "\(result.errors)")
        #expect(held.1 == "\(holder.process.processIdentifier)")
        let since = try Date("\(held.2)T\(held.3)Z", strategy: .iso8601)
        #expect(abs(since.timeIntervalSinceNow) < 1_800)
        // A command that only shows the status does not wait.
        #expect(try await Tool.run("store", "status", "--store", store).status == 0)
    }

    @Test func run_whileAnotherRunHoldsTheStore_waits() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let holder = try await Holder(folder, store: store)
        let errors = Pipe()
        let second = try Tool.start(
            arguments: ["run", Self.playlist, "--store", store, "--wait", "1h"], home: folder.path,
            errors: errors.fileHandleForWriting)
        defer { second.killAndWait() }
        try errors.fileHandleForWriting.close()
        let line = try await errors.fileHandleForReading.firstLine(of: second)
        #expect(
            line.contains("waiting") && line.contains("process \(holder.process.processIdentifier)"),
            "\(line)")
        try holder.letGo()
        #expect(await second.exitStatus() == 0)
        let status = try await Tool.run("store", "status", "--store", store)
        #expect(status.output.contains("accepted   13\n"), "\(status.output)")
    }

    @Test(arguments: [SIGINT, SIGTERM]) func signal_whileACommandWaitsForTheStore_exitsWith130(
        signal: Int32
    ) async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let holder = try await Holder(folder, store: store)
        for call in [
            ["run", Self.playlist], ["store", "verify"],
            ["upload", "--follow", "--collector", "http://127.0.0.1:9"],
        ] {
            let errors = Pipe()
            let waiting = try Tool.start(
                arguments: call + ["--store", store, "--wait", "1h"], home: folder.path,
                errors: errors.fileHandleForWriting)
            defer { waiting.killAndWait() }
            try errors.fileHandleForWriting.close()
            _ = try await errors.fileHandleForReading.firstLine(of: waiting)
            waiting.signal(signal)
            #expect(await waiting.exitStatus() == 130, "\(call)")
        }
        withExtendedLifetime(holder) {}
    }

    @Test func uploadFollow_whileARunHoldsTheStore_waits() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        #expect(try await Tool.run("run", Self.playlist, "--store", store).status == 0)
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let holder = try await Holder(folder, store: store)
        let follower = try RunningUpload(to: collector.url, in: folder, "--wait", "1h")
        try await wait(for: "the message") { follower.errors.contains("waiting for the buffer") }
        try holder.letGo()
        try await collector.wait(forAccepted: 13, from: follower.errors)
        #expect(await follower.stop() == 0)
    }
}
