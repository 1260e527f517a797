import Foundation
import Glibc
import TestSupport
import Testing

/// The first SIGINT or SIGTERM soon ends a command in any wait, and the data that was read is used.
@Suite(.serialized, .timeLimit(.minutes(30))) struct InterruptionTests {
    private static let playlist = Tool.demo + "/index.m3u8"

    /// Creates a FIFO in a folder.
    private static func fifo(in folder: TemporaryFolder) throws -> String {
        let path = folder.path + "/fifo"
        // The path is a string that stays alive during the call.
        #expect(unsafe mkfifo(path, 0o600) == 0)
        return path
    }

    /// Returns the lines of a log with a few owner identifiers.
    private static func log() async throws -> String {
        try await Tool.run("scan", "--format", "jsonl", Tool.demo + "/v360/seg00001.ts").output
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func scan_ofStandardInputThatStaysOpen_printsTheTagsRead(signal: Int32) async throws {
        let pipe = try Pipe.holding(EndlessInputTests.segment())
        let writing = pipe.fileHandleForWriting.fileDescriptor
        let tool = try await InterruptedTool(
            ["scan", "--format", "jsonl", "-"], with: signal, input: pipe.fileHandleForReading
        ) { _ in Pipe.isEmpty(writing) }
        #expect(tool.result.status == 130)
        #expect(tool.result.outputLines.count == 1)
        #expect(tool.result.errors.isEmpty, "\(tool.result.errors)")
    }

    @Test func check_ofStandardInputThatStaysOpen_printsTheVerdictOfTheDataRead() async throws {
        let pipe = try Pipe.holding(EndlessInputTests.segment())
        let writing = pipe.fileHandleForWriting.fileDescriptor
        let tool = try await InterruptedTool(["check", "-"], input: pipe.fileHandleForReading) { _ in
            Pipe.isEmpty(writing)
        }
        #expect(tool.result.status == 0)
        #expect(tool.result.outputLines.first == "PASS  -", "\(tool.result.output)")
        #expect(tool.result.output.contains("of media in 1 segment\n"))
        #expect(tool.result.errors.isEmpty, "\(tool.result.errors)")
    }

    @Test(arguments: [["scan"], ["check"], ["run"], ["check", "--owners"]])
    func command_thatWaitsForAFIFO_ends(command: [String]) async throws {
        let folder = try TemporaryFolder()
        let path = try Self.fifo(in: folder)
        let tool = try await InterruptedTool(command + [path], with: SIGTERM) { _ in
            // Opening for writing fails until there is a reader. The descriptor stays open, because closing it would
            // end the input.
            unsafe open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC) >= 0
        }
        #expect(tool.result.status == 130)
        #expect(tool.result.errors.isEmpty, "\(tool.result.errors)")
    }

    @Test func scan_ofAnEndlessDevice_ends() async throws {
        let tool = try await InterruptedTool(["scan", "/dev/zero"]) { process in
            let files = "/proc/\(process.processIdentifier)/fd"
            return try FileManager.default.contentsOfDirectory(atPath: files).contains {
                // A descriptor that has just been closed has no destination.
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(files)/\($0)")) == "/dev/zero"
            }
        }
        #expect(tool.result.status == 130)
    }

    /// Starts a server that sends the first segment and `count` bytes of the second one.
    private static func server(secondUpTo count: Int) throws -> LoopbackServer {
        let (first, second) = (try EndlessInputTests.segment(), try EndlessInputTests.segment("seg00003.ts"))
        let playlist = EndlessInputTests.playlist(["a.ts", "slow.ts"])
        return try LoopbackServer { request in
            switch request.target {
            case "/index.m3u8": return ServedResource(playlist).answer(to: request)
            case "/a.ts": return ServedResource(first).answer(to: request)
            default:
                let head = "HTTP/1.1 200 OK\r\nContent-Length: \(second.count)\r\n\r\n"
                return count == 0 ? [.hang] : [.send(head), .sendBytes(Array(second[..<count])), .hang]
            }
        }
    }

    @Test(arguments: ["scan", "check", "run"], [0, 10_000])
    func command_thatWaitsForASegment_exitsWith130_withOnlyCompleteResults(command: String, count: Int)
        async throws
    {
        let server = try Self.server(secondUpTo: count)
        defer { server.stop() }
        // One at a time: the second segment is requested after the first one was read.
        let call = [command, "--jobs", "1", server.base + "/index.m3u8"]
        let tool = try await InterruptedTool(call) { _ in server.wasAsked(for: "/slow.ts") }
        #expect(tool.result.status == 130)
        switch command {
        case "scan": #expect(tool.result.output.contains("a.ts"), "\(tool.result)")
        case "run": #expect(tool.result.output.contains("\nbuffer     1 tag waiting\n"), "\(tool.result)")
        // A verdict on half of a stream would be wrong.
        default: #expect(tool.result.output.isEmpty, "\(tool.result)")
        }
    }

    @Test(arguments: ["run", "upload"])
    func delivery_thatWaitsForItsCollector_keepsTheTags(command: String) async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in [.hang] }
        defer { server.stop() }
        let store = folder.path + "/store"
        var inputs = [Self.playlist]
        if command == "upload" {
            #expect(try await Tool.run("run", Self.playlist, "--store", store).status == 0)
            inputs = []
        }
        let tool = try await InterruptedTool(
            [command] + inputs + ["--store", store, "--collector", server.base]
        ) { _ in
            !server.requests.isEmpty
        }
        #expect(tool.result.status == 130)
        let status = try await Tool.run("store", "status", "--store", store, "--format", "json")
        #expect(status.output.contains("\"waiting\":13,"), "\(status)")
    }

    @Test func tag_thatWaitsForStandardInput_printsTheTagsRead() async throws {
        let pipe = try Pipe.holding(try await Self.log().utf8)
        let writing = pipe.fileHandleForWriting.fileDescriptor
        let tool = try await InterruptedTool(
            ["tag", "--format", "jsonl"], with: SIGTERM, input: pipe.fileHandleForReading
        ) { _ in Pipe.isEmpty(writing) }
        #expect(tool.result.status == 130)
        #expect(tool.result.outputLines.count == 1, "\(tool.result)")
        #expect(tool.result.errors.isEmpty, "\(tool.result.errors)")
    }

    @Test func synth_ofALongStream_ends_andLeavesTheFolderEmpty() async throws {
        let folder = try TemporaryFolder()
        let stream = folder.path + "/stream"
        let tool = try await InterruptedTool(["synth", stream, "--duration", "36h"]) { _ in
            try FileManager.default.fileExists(atPath: stream)
                && FileManager.default.subpathsOfDirectory(atPath: stream).contains { $0.hasSuffix(".ts") }
        }
        #expect(tool.result.status == 130)
        #expect(tool.result.output.isEmpty && tool.result.errors.isEmpty, "\(tool.result)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: stream).isEmpty)
    }

    @Test(arguments: [["check", playlist], ["store", "export"]])
    func output_toAFIFOWithoutAReader_ends(call: [String]) async throws {
        let folder = try TemporaryFolder()
        let fifo = try Self.fifo(in: folder)
        let store = folder.path + "/store"
        #expect(try await Tool.run("run", Self.playlist, "--store", store).status == 0)
        let more = call[0] == "store" ? ["--store", store] : []
        let tool = try await InterruptedTool(call + more + ["--output", fifo]) { process in
            // Only this shows from outside that a process waits in the call.
            try process.isIn("wait_for_partner")
        }
        #expect(tool.result.status == 130)
        #expect(tool.result.output.isEmpty && tool.result.errors.isEmpty, "\(tool.result)")
    }

    @Test(arguments: [["scan", playlist, playlist, playlist], ["store", "export"]])
    func output_toAStalledPipe_ends(call: [String]) async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        #expect(try await Tool.run("run", Self.playlist, "--store", store).status == 0)
        let more = call[0] == "store" ? ["--store", store] : []
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        // As small as a pipe can be, so that few tags fill it.
        let setPipeSize: Int32 = 1031
        #expect(fcntl(descriptor, setPipeSize, 4_096) == 4_096)
        let process = try Tool.start(
            arguments: call + more, home: folder.path, output: pipe.fileHandleForWriting)
        defer { process.killAndWait() }
        try await wait(for: "the pipe to be full") {
            var readiness = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            // One entry, which stays alive during the call.
            return unsafe poll(&readiness, 1, 0) == 0
        }
        process.signal(SIGTERM)
        #expect(try await process.exitStatus(within: .seconds(60)) == 130)
    }

    /// A user does not have to wait for the orderly end.
    @Test func secondSignal_exitsImmediately() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in [.hang] }
        defer { server.stop() }
        let process = try Tool.start(
            arguments: ["scan", server.base + "/index.m3u8"], home: folder.path)
        defer { process.killAndWait() }
        try await wait(for: "a request") {
            guard server.wasAsked(for: "/index.m3u8") else { return false }
            process.signal(SIGTERM)
            process.signal(SIGINT)
            return true
        }
        #expect(try await process.exitStatus(within: .seconds(60)) == 130)
    }

    @Test(arguments: [SIGINT, SIGTERM]) func services_onASignal_exitWith0(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        let collected = Pipe()
        let collector = try Tool.start(
            arguments: ["collect", "--listen", "127.0.0.1:0", "--dir", folder.path + "/collected"],
            home: folder.path, output: collected.fileHandleForWriting)
        defer { collector.killAndWait() }
        try collected.fileHandleForWriting.close()
        let line = try await collected.fileHandleForReading.firstLine(of: collector)
        let url = try #require(line.split(separator: " ").last.map(String.init))
        let errors = Pipe()
        let upload = try Tool.start(
            arguments: ["upload", "--follow", "--store", folder.path + "/store", "--collector", url],
            home: folder.path, errors: errors.fileHandleForWriting)
        defer { upload.killAndWait() }
        try errors.fileHandleForWriting.close()
        _ = try await errors.fileHandleForReading.firstLine(of: upload)
        upload.signal(signal)
        #expect(try await upload.exitStatus(within: .seconds(60)) == 0)
        collector.signal(signal)
        #expect(try await collector.exitStatus(within: .seconds(60)) == 0)
    }
}
