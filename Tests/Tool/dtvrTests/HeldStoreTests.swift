import Foundation
import TestSupport
import Testing

/// What happens while another process has the buffer.
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

    /// Waits until the store says that this process holds it.
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
    ])
    func store_thatStaysHeld_isStatus4AndSaysWhoHoldsItSinceWhen(call: [String]) async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let holder = try await Holder(folder, store: store)
        let result = try await Tool.run(arguments: call + ["--store", store, "--wait", "0.2s"])
        #expect(result.status == 4)
        let year = Calendar(identifier: .gregorian).component(.year, from: Date())
        #expect(
            result.errors.contains("held by process \(holder.process.processIdentifier) since \(year)-"),
            "\(result.errors)")
        // Who only looks does not wait.
        #expect(try await Tool.run("store", "status", "--store", store).status == 0)
    }

    @Test func run_whileAnotherRunHasTheStore_waitsForIt() async throws {
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

    @Test(arguments: [SIGINT, SIGTERM]) func signal_whileACommandWaitsForTheStore_endsItWith130(
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

    /// While it waits for a collector that does not answer, others put tags in and look at what is there.
    @Test func uploadFollow_holdsTheStoreForNoWait() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        #expect(try await Tool.run("run", Self.playlist, "--store", store).status == 0)
        let server = try LoopbackServer { _ in [.hang] }
        defer { server.stop() }
        let errors = Pipe()
        let follower = try Tool.start(
            arguments: ["upload", "--follow", "--store", store, "--collector", server.base],
            home: folder.path, errors: errors.fileHandleForWriting)
        defer { follower.killAndWait() }
        try errors.fileHandleForWriting.close()
        try await wait(for: "a request") { !server.requests.isEmpty }
        let run = try await Tool.run("run", Self.playlist, "--store", store, "--wait", "5s")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try await Tool.run("store", "verify", "--store", store, "--wait", "5s").status == 0)
        follower.signal(SIGTERM)
        #expect(await follower.exitStatus() == 0)
    }

    /// Tags that come later, from other processes, are sent; each once.
    @Test func uploadFollow_sendsWhatOthersPutIn() async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let follower = try Tool.start(
            arguments: ["upload", "--follow", "--store", store, "--collector", collector.url],
            home: folder.path)
        defer { follower.killAndWait() }
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
        follower.signal(SIGTERM)
        #expect(await follower.exitStatus() == 0)
        let status = try await Tool.run("store", "status", "--store", store)
        #expect(
            status.output.contains("waiting    0 tags\n") && status.output.contains("delivered  \(sent),"))
    }
}
