import Foundation
import Glibc
import TestSupport
import Testing

/// The first SIGINT or SIGTERM ends a command soon, whatever it waits for, with what was read.
@Suite(.timeLimit(.minutes(10))) struct InterruptionTests {
    /// A second is promised; a busy machine may take a little longer to notice.
    private static let patience = Duration.seconds(3)

    /// What a command left behind that was told to stop while it was waiting for something.
    private static func interrupt(
        _ arguments: [String], with number: Int32 = SIGINT, input: FileHandle = .nullDevice,
        once isWaiting: (ChildProcess) async throws -> Void
    ) async throws -> Tool.Result {
        let folder = try TemporaryFolder()
        let (output, errors) = (folder.path + "/output", folder.path + "/errors")
        for path in [output, errors] { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        let outputFile = try #require(FileHandle(forWritingAtPath: output))
        let errorFile = try #require(FileHandle(forWritingAtPath: errors))
        let process = try Tool.start(
            arguments: arguments, home: folder.path, input: input, output: outputFile, errors: errorFile)
        defer { process.killAndWait() }
        try await isWaiting(process)
        let start = ContinuousClock.now
        process.signal(number)
        let status = await process.exitStatus()
        #expect(start.duration(to: .now) < patience)
        func text(_ path: String) throws -> String {
            String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
        }
        return Tool.Result(status: status, output: try text(output), errors: try text(errors))
    }

    /// Returns once everything that was written into a pipe has been read: the tool looks whether it is to stop only
    /// before it reads on.
    private static func drain(_ pipe: Int32) async throws {
        var count: Int32 = 1
        while count > 0 {
            try Task.checkCancellation()
            // The number of bytes in the pipe, into a variable that lives through the call.
            #expect(unsafe ioctl(pipe, UInt(FIONREAD), &count) == 0)
            await Task.yield()
        }
    }

    /// Where a symbolic link leads; nil where there is none.
    private static func target(of link: String) -> String? {
        do {
            return try FileManager.default.destinationOfSymbolicLink(atPath: link)
        } catch {
            return nil
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) async throws {
        try await onOwnThread {
            try FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: Data(bytes))
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func scan_ofStandardInputThatStaysOpen_printsTheTagsThatCame(signal: Int32) async throws {
        let pipe = Pipe()
        let writing = pipe.fileHandleForWriting.fileDescriptor
        let result = try await Self.interrupt(
            ["scan", "--format", "jsonl", "-"], with: signal, input: pipe.fileHandleForReading
        ) { _ in
            try await Self.write(EndlessInputTests.segment(), to: writing)
            try await Self.drain(writing)
        }
        #expect(result.status == 130)
        #expect(result.outputLines.count == 1)
        #expect(result.errors.isEmpty, "\(result.errors)")
    }

    @Test(arguments: ["scan", "check", "run"]) func command_thatWaitsForAFIFO_ends(command: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/fifo"
        // The path is a string of ours that lives through the calls.
        #expect(unsafe mkfifo(path, 0o600) == 0)
        let result = try await Self.interrupt([command, path], with: SIGTERM) { _ in
            // Opening it for writing fails as long as nobody reads it.
            while true {
                let writer = unsafe open(path, O_WRONLY | O_NONBLOCK)
                if writer >= 0 { break }
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        #expect(result.status == 130)
    }

    @Test func scan_ofADeviceWithoutEnd_ends() async throws {
        let result = try await Self.interrupt(["scan", "/dev/zero"]) { process in
            let files = "/proc/\(process.processIdentifier)/fd/"
            while !(3..<64).contains(where: { Self.target(of: files + "\($0)") == "/dev/zero" }) {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        #expect(result.status == 130)
    }

    @Test(arguments: ["scan", "run"])
    func command_thatWaitsForAServer_endsWithWhatWasRead(command: String) async throws {
        let bytes = try EndlessInputTests.segment()
        let playlist = EndlessInputTests.playlist(["a.ts", "hangs.ts"])
        let server = try LoopbackServer { request in
            switch request.target {
            case "/index.m3u8": ServedResource(playlist).answer(to: request)
            case "/a.ts": ServedResource(bytes).answer(to: request)
            default: [.hang]
            }
        }
        defer { server.stop() }
        let result = try await Self.interrupt([command, server.base + "/index.m3u8"]) { _ in
            while !server.requests.contains(where: { $0.target == "/hangs.ts" }) {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        #expect(result.status == 130)
        #expect(result.output.contains(command == "scan" ? "seg" : "buffer     1 tags waiting") || command == "scan")
        #expect(result.outputLines.count > 1, "\(result.output)")
    }

    @Test func run_thatWaitsForItsCollector_keepsTheTags() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in [.hang] }
        defer { server.stop() }
        let store = folder.path + "/store"
        let result = try await Self.interrupt(
            ["run", Tool.demo + "/index.m3u8", "--store", store, "--collector", server.base]
        ) { _ in
            while server.requests.isEmpty {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        #expect(result.status == 130)
        let status = try await Tool.run("store", "status", "--store", store)
        #expect(status.output.contains("13"), "\(status.output)")
    }

    @Test func tag_thatWaitsForStandardInput_ends() async throws {
        let pipe = Pipe()
        let writing = pipe.fileHandleForWriting.fileDescriptor
        let result = try await Self.interrupt(["tag"], input: pipe.fileHandleForReading) { _ in
            try await Self.write(Array("nothing\n".utf8), to: writing)
            try await Self.drain(writing)
        }
        #expect(result.status == 130)
    }

    @Test func synth_ofALongStream_ends() async throws {
        let folder = try TemporaryFolder()
        let stream = folder.path + "/stream"
        let result = try await Self.interrupt(["synth", stream, "--duration", "36h"]) { _ in
            while !FileManager.default.fileExists(atPath: stream) {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        #expect(result.status == 130)
    }

    @Test func uploadThatFollows_andCollector_endWith0() async throws {
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
        upload.signal(SIGTERM)
        #expect(await upload.exitStatus() == 0)
        collector.signal(SIGTERM)
        #expect(await collector.exitStatus() == 0)
    }
}
