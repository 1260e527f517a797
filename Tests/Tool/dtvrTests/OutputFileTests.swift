import Foundation
import Glibc
import TestSupport
import Testing

/// `--output`, and its effect on an existing file at the path.
@Suite(.timeLimit(.minutes(30))) struct OutputFileTests {
    private static let playlist = Tool.demo + "/index.m3u8"

    /// Returns a call of each command that writes to a file, and the output that it prints; the folder has a buffer.
    private static func calls(in folder: TemporaryFolder) async throws -> [(call: [String], text: String)] {
        let store = folder.path + "/store"
        #expect(try await Tool.run("run", playlist, "--store", store).status == 0)
        var calls: [(call: [String], text: String)] = []
        for call in [
            ["store", "export", "--store", store], ["check", playlist],
            ["check", "--format", "csv", playlist],
        ] {
            let printed = try await Tool.run(arguments: call)
            #expect(printed.status == 0 && !printed.output.isEmpty)
            calls.append((call, printed.output))
        }
        return calls
    }

    private static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }

    /// Returns the sorted names in a folder for outputs.
    private static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    private static func outputs(in folder: TemporaryFolder) throws -> String {
        let path = folder.path + "/outputs"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    @Test func file_isCreatedOrReplaced_withoutTemporaryFiles() async throws {
        let folder = try TemporaryFolder()
        let outputs = try Self.outputs(in: folder)
        let (new, old) = (outputs + "/new", outputs + "/old")
        for (call, text) in try await Self.calls(in: folder) {
            _ = try folder.write("outputs/old", String(repeating: "something long ", count: 99_999).utf8)
            #expect(unsafe chmod(old, 0o640) == 0)
            for path in [new, old] {
                let result = try await Tool.run(arguments: call + ["--output", path])
                #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty, "\(result)")
                #expect(try Self.text(path) == text)
            }
            #expect(try Self.names(in: outputs) == ["new", "old"])
            let rights = try FileManager.default.attributesOfItem(atPath: old)[.posixPermissions] as? Int
            #expect(rights == 0o640)
            try FileManager.default.removeItem(atPath: new)
        }
    }

    @Test func symbolicLinks_areFollowed_andKept() async throws {
        let folder = try TemporaryFolder()
        let outputs = try Self.outputs(in: folder)
        let manager = FileManager.default
        try manager.createDirectory(atPath: outputs + "/far", withIntermediateDirectories: true)
        _ = try folder.write("outputs/far/there", "old".utf8)
        try manager.createSymbolicLink(atPath: outputs + "/link", withDestinationPath: "far/there")
        try manager.createSymbolicLink(atPath: outputs + "/links", withDestinationPath: "link")
        try manager.createSymbolicLink(atPath: outputs + "/dangling", withDestinationPath: "far/new")
        try manager.createSymbolicLink(atPath: outputs + "/circle", withDestinationPath: "circle")
        for (call, text) in try await Self.calls(in: folder) {
            for (name, file) in [("link", "far/there"), ("links", "far/there"), ("dangling", "far/new")] {
                let result = try await Tool.run(arguments: call + ["--output", outputs + "/" + name])
                #expect(result.status == 0, "\(result.errors)")
                #expect(try Self.text(outputs + "/" + file) == text)
                #expect((try? manager.destinationOfSymbolicLink(atPath: outputs + "/" + name)) != nil)
            }
            #expect(try Self.names(in: outputs + "/far") == ["new", "there"])
            let circle = try await Tool.run(arguments: call + ["--output", outputs + "/circle"])
            #expect(circle.status == 6 && circle.errors.contains("too many levels of symbolic links"))
        }
    }

    @Test func device_isWrittenTo_andStaysADevice() async throws {
        let folder = try TemporaryFolder()
        for (call, _) in try await Self.calls(in: folder) {
            let null = try await Tool.run(arguments: call + ["--output", "/dev/null"])
            #expect(null.status == 0 && null.output.isEmpty && null.errors.isEmpty)
            let full = try await Tool.run(arguments: call + ["--output", "/dev/full"])
            #expect(full.status == 6)
            #expect(full.errors == "dtvr: /dev/full: cannot be written: no space left on device\n")
            for path in ["/dev/null", "/dev/full"] {
                let type = try FileManager.default.attributesOfItem(atPath: path)[.type]
                #expect(type as? FileAttributeType == .typeCharacterSpecial)
            }
        }
    }

    @Test func standardOutputByName_isWrittenTo() async throws {
        let folder = try TemporaryFolder()
        for (call, text) in try await Self.calls(in: folder) {
            for name in ["/dev/stdout", "/proc/self/fd/1"] {
                let command = (["'\(Tool.path)'"] + call + ["--output", name]).joined(separator: " ")
                let shell = try await FinishedProcess.of("/bin/sh", ["-c", command + " | cat"])
                #expect(String(decoding: shell.output, as: UTF8.self) == text, "\(call) \(name)")
                // A file without a name.
                let result = try await Tool.run(arguments: call + ["--output", name])
                #expect(result.status == 0 && result.output == text, "\(result.errors)")
            }
        }
    }

    @Test func fifo_isWrittenTo_andAClosedReaderIsNotAnError() async throws {
        let folder = try TemporaryFolder()
        let fifo = folder.path + "/fifo"
        #expect(unsafe mkfifo(fifo, 0o600) == 0)
        for (call, text) in try await Self.calls(in: folder) {
            let reader = try await Self.shell("cat '\(fifo)'", beside: call + ["--output", fifo])
            #expect(reader.tool.status == 0 && reader.shell == text, "\(reader.tool)")
            let gone = try await Self.shell(
                "head -c 1 '\(fifo)' >/dev/null", beside: call + ["--output", fifo])
            #expect(gone.tool.status == 0 && gone.tool.errors.isEmpty, "\(gone.tool)")
        }
        #expect(
            try FileManager.default.attributesOfItem(atPath: fifo)[.type] as? FileAttributeType
                == .typeUnknown)
    }

    private static func shell(
        _ command: String, beside call: [String]
    ) async throws -> (shell: String, tool: Tool.Result) {
        async let finished = FinishedProcess.of("/bin/sh", ["-c", command])
        let result = try await Tool.run(arguments: call)
        return (String(decoding: try await finished.output, as: UTF8.self), result)
    }

    /// A limit on the size of files simulates a full disk.
    @Test func outputFile_thatGrowsTooLarge_exitsWith6_andKeepsTheOldFile() async throws {
        let folder = try TemporaryFolder()
        let outputs = try Self.outputs(in: folder)
        let report = try folder.write("outputs/report", "old".utf8)
        let command =
            "ulimit -f 8; '\(Tool.path)' check --format html --output '\(report)' '\(Self.playlist)'"
        let shell = try await FinishedProcess.of("/bin/sh", ["-c", command])
        #expect(shell.status == 6)
        #expect(
            String(decoding: shell.errors, as: UTF8.self)
                == "dtvr: \(report): cannot be written: file too large\n")
        #expect(try Self.names(in: outputs) == ["report"])
        #expect(try Self.text(report) == "old")
    }

    @Test func pathThatCannotBeAFile_exitsWith6BeforeReading() async throws {
        let folder = try TemporaryFolder()
        for (call, _) in try await Self.calls(in: folder) {
            for (path, reason) in [
                ("/no/such/folder/verdict", "no such file or directory"), (folder.path, "is a directory"),
                ("/dev/null/x", "not a directory"),
            ] {
                let result = try await Tool.run(arguments: call + ["--output", path])
                #expect(result.status == 6 && result.output.isEmpty)
                #expect(result.errors == "dtvr: \(path): cannot be written: \(reason)\n")
            }
        }
    }

    @Test func output_ofACallWithoutReadableInput_keepsTheOldFile() async throws {
        let folder = try TemporaryFolder()
        let outputs = try Self.outputs(in: folder)
        let report = try folder.write("outputs/report", "old".utf8)
        let result = try await Tool.run("check", "--output", report, "/no/such.m3u8")
        #expect(result.status == 3)
        #expect(try Self.names(in: outputs) == ["report"])
        #expect(try Self.text(report) == "old")
    }

    /// The tool is stopped while it waits for an input that never arrives.
    @Test(arguments: [SIGINT, SIGTERM]) func signal_leavesNoUnfinishedFile(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        let outputs = try Self.outputs(in: folder)
        let report = try folder.write("outputs/report", "old".utf8)
        let input = folder.path + "/input"
        #expect(unsafe mkfifo(input, 0o600) == 0)
        // The input is open for writing, but nothing is written.
        let writer = unsafe open(input, O_RDWR)
        defer { close(writer) }
        let tool = try await InterruptedTool(["check", "--output", report, input], with: signal) { _ in
            try Self.names(in: outputs).count == 2
        }
        #expect(tool.result.status == 130)
        #expect(try Self.names(in: outputs) == ["report"])
        #expect(try Self.text(report) == "old")
    }
}
