import Foundation
import Glibc
import TestSupport
import Testing

@testable import dtvr

/// Output that cannot be written, for every command.
@Suite(.timeLimit(.minutes(30))) struct OutputTests {
    private static let playlist = Tool.demo + "/index.m3u8"
    private static let segment = Tool.demo + "/v360/seg00001.ts"
    private static let owner =
        "www.nielsen.com/X100zdCIGeIlgZnkYj6UvQ==/pI-X5FFk07770SXf2ZbI6g==/CE0C61TsDo0jIrNn9N2yTPe6nVG3dHZHfgS52fJe"
        + "Qjf9fJCga9tj4OW4NXPZ9fI1mx0gfYUPBXnjqolHemZPtn_FCoNg8Dqw8-Auruf15fU04pJfXTTN0IgZ4iWBmeRiPpS9X100zdCIGeIl"
        + "gZnkYj6UvVjmPIdY5jyRQTA=/00000/21778/00"

    /// Calls of every command.
    ///
    /// FOLDER is replaced by a temporary folder, in which `store` is a buffer with tags.
    static let calls: [[String]] =
        [
            ["--help"], ["help"], ["--version"], ["scan", segment], ["scan", "--format", "jsonl", segment],
            ["scan", "--format", "csv", segment], ["check", segment], ["check", "--format", "json", segment],
            ["check", "--format", "csv", segment], ["check", "--format", "html", segment],
            ["check", "--format", "junit", segment], ["check", "--format", "json", "/no/such.ts"],
            ["check", "--list"], ["check", "--explain", "time.gap"], ["check", "--explain", "all"],
            ["tag", owner], ["tag", "--format", "jsonl", owner], ["tag", "--format", "csv", owner],
            ["run", segment, "--store", "FOLDER/another"],
            ["store", "status", "--store", "FOLDER/store"],
            ["store", "status", "--format", "json", "--store", "FOLDER/store"],
            ["store", "list", "--store", "FOLDER/store"], ["store", "export", "--store", "FOLDER/store"],
            ["store", "verify", "--store", "FOLDER/store"],
            ["store", "prune", "--older-than", "9d", "--store", "FOLDER/store"],
            ["collect", "--listen", "127.0.0.1:0", "--dir", "FOLDER/collected"],
            ["collect", "--fault", "list"], ["manual"], ["manual", "dtvr-config.5"],
            ["synth", "--fault", "list"], ["synth", "--duration", "10s", "FOLDER/made"],
            ["replay", ReplayTests.trace, "--store", "FOLDER/another"],
            ["certify", CertifyTests.good], ["certify", "--format", "json", CertifyTests.good],
            ["monitor", "--check-config", "http://127.0.0.1/index.m3u8"],
        ] + CommandRegistry.declarations.map { [$0.name, "--help"] }
        + CompletionShell.allCases.map { ["completions", $0.rawValue] }

    /// Returns a folder with a buffer that contains tags.
    private static func folderWithStore() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let run = try await Tool.run("run", segment, "--store", folder.path + "/store")
        #expect(run.status == 0, "\(run.errors)")
        return folder
    }

    @Test func calls_coverEveryCommand() {
        let commands = Set(Self.calls.filter { $0.last != "--help" }.map { $0[0] })
        // `upload` needs a collector and `ledger` a database; they have separate tests.
        let names = Set(CommandRegistry.declarations.map(\.name))
        #expect(names.subtracting(commands) == ["ledger", "upload"])
    }

    @Test(arguments: calls) func standardOutput_onAFullDisk_exitsWith6WithOneErrorLine(call: [String])
        async throws
    {
        let folder = try await Self.folderWithStore()
        let arguments = call.map { $0.replacing("FOLDER", with: folder.path) }
        let errors = try FileHandle.temporary()
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let process = try Tool.start(
            arguments: arguments, home: folder.path, output: full, errors: errors)
        #expect(await process.exitStatus() == 6, "\(call)")
        let lines = try errors.contents().split(separator: "\n")
        #expect(
            lines.last == "dtvr: standard output cannot be written: no space left on device", "\(lines)")
        #expect(lines.count { $0.contains("cannot be written") } == 1)
    }

    @Test func upload_withOutputToAFullDisk_deliversAndExitsWith6() async throws {
        let folder = try await Self.folderWithStore()
        let collector = try await RunningCollector.start(folder: folder.path + "/collected")
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let process = try Tool.start(
            arguments: ["upload", "--store", folder.path + "/store", "--collector", collector.url],
            home: folder.path, output: full)
        #expect(await process.exitStatus() == 6)
        #expect(try await collector.counts()[0] > 0)
    }

    /// A full disk does not hide a more serious failure.
    @Test func otherFailures_takePrecedenceOverOutputFailures() async throws {
        let folder = try await Self.folderWithStore()
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        for (arguments, status) in [
            (["store", "status", "--store", folder.path + "/none"], Int32(4)), (["scan"], 2),
            (
                [
                    "run", Self.segment, "--store", folder.path + "/store", "--collector",
                    "http://127.0.0.1:1/",
                ],
                5
            ),
        ] {
            let process = try Tool.start(arguments: arguments, home: folder.path, output: full)
            #expect(await process.exitStatus() == status, "\(arguments)")
        }
    }

    @Test func closedPipe_isNotAnError() async throws {
        let folder = try await Self.folderWithStore()
        for call in Self.calls where call[0] != "collect" {
            let pipe = Pipe()
            try pipe.fileHandleForReading.close()
            let errors = try FileHandle.temporary()
            let process = try Tool.start(
                arguments: call.map { $0.replacing("FOLDER", with: folder.path) }, home: folder.path,
                output: pipe.fileHandleForWriting, errors: errors)
            #expect(await process.exitStatus() == (call.contains("/no/such.ts") ? 3 : 0), "\(call)")
            #expect(try !errors.contents().contains("cannot be written"), "\(call)")
        }
    }

    /// No file of the tool gets the descriptor number of the missing stream.
    @Test func closedStandardOutput_exitsWith6_andDamagesNoFile() async throws {
        let folder = try await Self.folderWithStore()
        let store = folder.path + "/store"
        for streams in [">&-", "<&- >&- 2>&-"] {
            let shell = try await FinishedProcess.of(
                "/bin/sh", ["-c", "'\(Tool.path)' run '\(Self.playlist)' --store '\(store)' \(streams)"],
                environment: ["HOME": folder.path, "PATH": "/usr/bin:/bin"])
            #expect(shell.status == 6)
            let verify = try await Tool.run("store", "verify", "--store", store)
            #expect(verify.status == 0, "\(verify.output)\(verify.errors)")
        }
    }

    /// A slow reader at the other end of a nonblocking pipe.
    @Test func nonblockingPipe_receivesAllOutput() async throws {
        let expected = try await Tool.run("check", "--explain", "all")
        #expect(expected.output.utf8.count > 65_536 / 4)
        let folder = try TemporaryFolder()
        let pipe = Pipe()
        let writing = pipe.fileHandleForWriting.fileDescriptor
        #expect(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
        // F_SETPIPE_SZ, which Glibc's module lacks.
        #expect(fcntl(writing, 1_031, 4_096) == 4_096)
        let process = try Tool.start(
            arguments: ["check", "--explain", "all"], home: folder.path, output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        let reading = pipe.fileHandleForReading
        let text = try await onOwnThread { try reading.readToEnd() ?? Data() }
        #expect(String(decoding: text, as: UTF8.self) == expected.output)
        #expect(await process.exitStatus() == 0)
    }
}

extension FileHandle {
    /// Creates a file without a name.
    static func temporary() throws -> FileHandle {
        let folder = FileManager.default.temporaryDirectory.path
        let descriptor = unsafe open(folder, O_RDWR | O_CLOEXEC | __O_TMPFILE | O_DIRECTORY, 0o600)
        try #require(descriptor >= 0)
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Returns the contents of the file as text.
    func contents() throws -> String {
        try seek(toOffset: 0)
        return String(decoding: try readToEnd() ?? Data(), as: UTF8.self)
    }
}
