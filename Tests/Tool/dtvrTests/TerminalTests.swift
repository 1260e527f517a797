import Foundation
import TestSupport
import Testing

@testable import dtvr

/// The output of the tool on a terminal, and its unchanged output without one.
@Suite(.timeLimit(.minutes(30))) struct TerminalTests {
    private static let playlist = Tool.demo + "/index.m3u8"
    private static let widths = [40, 60, 80, 100, 132, 200]

    /// Creates a stream with findings in several checks.
    private static func faulty(in folder: TemporaryFolder) async throws -> String {
        let path = folder.path + "/faulty"
        let made = try await Tool.run("synth", "--fault", "tag.checksum", "--duration", "60s", path)
        #expect(made.status == 0, "\(made.errors)")
        return path + "/index.m3u8"
    }

    @Test func tables_fitEveryWidth() async throws {
        let folder = try TemporaryFolder()
        let faulty = try await Self.faulty(in: folder)
        let store = folder.path + "/store"
        #expect(try await Tool.run("run", faulty, "--store", store).status == 0)
        let plain = ["--color", "never"]
        for width in Self.widths {
            for call in [
                ["scan", faulty], ["scan", "--all", faulty], ["store", "list", "--store", store],
                ["check", "--rendition", "lowest", faulty], ["check", "--list"],
                ["check", "--explain", "time.gap"], ["--help"], ["completions", "--help"],
            ] {
                let shown = try await PseudoTerminal.run(
                    width: width, call + (call[0] == "--help" ? [] : plain))
                #expect(shown.status == (call.contains("lowest") ? 1 : 0))
                #expect(shown.lines.count > 2)
                let wide = shown.lines.filter { $0.count > width && $0.contains(" ") }
                #expect(wide.isEmpty, "\(width) \(call): \(wide)")
            }
        }
    }

    @Test func table_onANarrowTerminal_hasOnlyTheEssentialColumns() async throws {
        let folder = try TemporaryFolder()
        let faulty = try await Self.faulty(in: folder)
        let wide = try await PseudoTerminal.run(width: 200, ["scan", "--color", "never", faulty])
        let titles = wide.lines[0].split(separator: " ")
        #expect(
            titles == [
                "SECONDS", "KIND", "SEQ", "FIRST", "(UTC)", "SPAN", "PC", "CID", "FD", "CID", "SEGMENT",
                "CARRIAGE", "PROBLEMS",
            ])
        let narrow = try await PseudoTerminal.run(width: 80, ["scan", "--color", "never", faulty])
        for title in ["SECONDS", "KIND", "SEQ", "SEGMENT", "PROBLEMS"] {
            #expect(narrow.lines[0].contains(title), "\(title)")
        }
        #expect(!narrow.lines[0].contains("FD CID"))
        // The problems of a tag are shown in full at any width.
        let narrowest = try await PseudoTerminal.run(width: 40, ["scan", "--color", "never", faulty])
        for shown in [wide, narrow, narrowest] {
            #expect(shown.lines.contains { $0.contains("tag.checksum") }, "\(shown.lines)")
        }
    }

    @Test func columnsVariable_overridesTheTerminalWidth_andIsIgnoredWithoutATerminal() async throws {
        let call = ["scan", "--color", "never", Self.playlist]
        let set = try await PseudoTerminal.run(width: 200, call, environment: ["COLUMNS": "80"])
        let asWide = try await PseudoTerminal.run(width: 80, call)
        #expect(set.lines == asWide.lines)
        let plain = try await Tool.run(arguments: call)
        let variable = try await Tool.run(arguments: call, environment: ["COLUMNS": "40"])
        #expect(variable.output == plain.output)
        #expect(plain.outputLines[0].hasSuffix("CARRIAGE      PROBLEMS"))
        let unknown = try await PseudoTerminal.run(width: 0, call)
        let lines = unknown.lines.filter { !$0.isEmpty }
        #expect(lines == plain.outputLines.map { String($0) })
    }

    /// A name from outside neither controls the terminal nor is computed by a spreadsheet.
    @Test func csv_withHostileNames_isPrintableOnATerminal_andNoFormula() async throws {
        let folder = try TemporaryFolder()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: Tool.demo + "/v360/seg00001.ts"))
        let name = "=1+\u{1B}[2J\u{202E}.ts"
        try folder.write(name, bytes)
        let environment = ["HOME": folder.path]
        for command in ["scan", "check"] {
            let call = [command, "--format", "csv", "--color", "never", folder.path]
            let shown = try await PseudoTerminal.run(width: 200, call, environment: environment)
            #expect(shown.lines.contains { $0.contains("'=1+<1B>[2J<202E>.ts") }, "\(shown.lines)")
            #expect(!shown.lines.contains { $0.contains("\u{1B}") || $0.contains("\u{202E}") })
            // Without a terminal, the name is verbatim behind the apostrophe.
            let plain = try await Tool.run(arguments: call, environment: environment)
            #expect(plain.output.contains("'" + name), "\(plain.output)")
        }
    }

    /// Writes the demonstration segments as one transport stream, several times.
    private static func longStream(in folder: TemporaryFolder, times: Int) throws -> String {
        let segments = try (0..<19).map { index in
            let name = "seg000" + (index < 10 ? "0\(index)" : "\(index)") + ".ts"
            return try Data(contentsOf: URL(fileURLWithPath: Tool.demo + "/v540/" + name))
        }
        let once = segments.reduce(Data(), +)
        return try folder.write("long.ts", (0..<times).reduce(into: Data()) { data, _ in data += once })
    }

    /// Whether a text shows the progress in a file of 64 GB after its first bytes; the first text may show 0 B.
    @Sendable private static func hasBytesOfTheHole(_ text: String) -> Bool {
        text.contains(#/[1-9][\d.]* [kMG]?B of 68\.7 GB/#)
    }

    @Test func progress_ofOneLargeFile_countsBytes() async throws {
        let folder = try TemporaryFolder()
        // A hole of 64 GB follows the stream, which takes longer than the first progress on any machine.
        let file = try Self.longStream(in: folder, times: 1)
        try FileHandle(forWritingTo: URL(fileURLWithPath: file)).truncate(atOffset: 64 << 30)
        let shown = try await PseudoTerminal.run(
            width: 100, ["scan", "--format", "csv", file], showsErrors: true,
            stoppingWhen: Self.hasBytesOfTheHole)
        #expect(shown.status == 130)
        let text = shown.lines.joined()
        #expect(text.contains(#/ \d %  [1-9][\d.]* [kMG]?B of 68\.7 GB/#), "\(text.suffix(300))")
        #expect(!text.contains("segments"))
    }

    /// The tags of the stream are counted, and there is no total to compare with.
    @Test func progress_ofAStream_countsBytesAndTags() async throws {
        let folder = try TemporaryFolder()
        let file = try Self.longStream(in: folder, times: 1)
        let input = Pipe()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        let writing = Task { try await onOwnThread { input.fileHandleForWriting.write(bytes) } }
        async let shown = PseudoTerminal.run(
            width: 100, ["scan", "--format", "csv", "-"], input: input.fileHandleForReading,
            showsErrors: true)
        try await writing.value
        try input.fileHandleForWriting.close()
        let result = try await shown
        #expect(result.status == 0)
        let text = result.lines.joined()
        #expect(text.contains(#/-  \d+\.\d [kM]B, \d+ tag/#), "\(text.suffix(300))")
        #expect(!text.contains("segments") && !text.contains("%"))
    }

    /// Returns an unreadable input, one that is read immediately, and one that takes longer than the first progress.
    private static func inputs(in folder: TemporaryFolder) throws -> [String] {
        let file = try longStream(in: folder, times: 1)
        try FileHandle(forWritingTo: URL(fileURLWithPath: file)).truncate(atOffset: 64 << 30)
        return [folder.path + "/missing", playlist, file]
    }

    @Test(arguments: [
        ["scan"], ["check", "--format", "jsonl"], ["check"], ["run", "--store", "FOLDER/store"],
    ])
    func progress_ofSeveralInputs_countsThemAndTheBytesOfTheCurrentOne(_ command: [String]) async throws {
        let folder = try TemporaryFolder()
        let inputs = try Self.inputs(in: folder)
        let list = try folder.write("list", (["# three", ""] + inputs).joined(separator: "\n"))
        let command = command.map { $0.replacing("FOLDER", with: folder.path) }
        for operands in [inputs, [inputs[0], "--inputs", list, "--shard", "0/1"]] {
            let shown = try await PseudoTerminal.run(
                width: 120, command + operands, showsErrors: true,
                stoppingWhen: Self.hasBytesOfTheHole)
            #expect(shown.status == 130)
            let text = shown.lines.joined(separator: "\n")
            let count = operands == inputs ? "2 of 3 inputs, 1 failed" : "3 of 4 inputs, 2 failed"
            #expect(text.contains("0 of \(operands == inputs ? 3 : 4) inputs"), "\(text.suffix(500))")
            #expect(text.contains(count), "\(text.suffix(500))")
            let line = #/ \d+ %  [23] of [34] inputs, .*[1-9][\d.]* [kMG]?B of 68\.7 GB/#
            #expect(text.contains(line), "\(text.suffix(500))")
        }
    }

    @Test func progress_ofAListFromAPipe_countsInputs() async throws {
        let folder = try TemporaryFolder()
        let input = Pipe()
        let list = try Self.inputs(in: folder).joined(separator: "\n")
        try input.fileHandleForWriting.write(contentsOf: Data(list.utf8))
        try input.fileHandleForWriting.close()
        let shown = try await PseudoTerminal.run(
            width: 120, ["scan", "--format", "csv", "--inputs", "-"], input: input.fileHandleForReading,
            showsErrors: true,
            stoppingWhen: Self.hasBytesOfTheHole)
        #expect(shown.status == 130)
        let text = shown.lines.joined(separator: "\n")
        #expect(
            text.contains(#/inputs  2 read, 1 failed.*  [1-9][\d.]* [kMG]?B of 68\.7 GB/#),
            "\(text.suffix(500))")
    }

    /// A line that is wider than the terminal would wrap, and each redraw would add another one.
    @Test func progress_isNeverWiderThanTheTerminal() async throws {
        let folder = try TemporaryFolder()
        let inputs = try Self.inputs(in: folder)
        let shown = try await PseudoTerminal.run(
            width: 50, ["scan", "--format", "csv"] + inputs, showsErrors: true,
            stoppingWhen: { $0.contains("2 of 3") })
        let lines = shown.lines.joined(separator: "\n").split { $0 == "\r" || $0 == "\n" }
        let wide = lines.filter { $0.hasPrefix("inputs") && $0.count >= 50 }
        #expect(lines.contains { $0.hasPrefix("inputs") } && wide.isEmpty, "\(wide)")
    }

    @Test func colors_areUsedOnATerminal_unlessNOCOLORIsSetOrTheTerminalIsDumb() async throws {
        let call = ["scan", Self.playlist]
        #expect(try await PseudoTerminal.run(width: 80, call).lines[0].hasPrefix("\u{1B}[1m"))
        let none = try await PseudoTerminal.run(width: 80, call, environment: ["NO_COLOR": "1"])
        #expect(!none.lines[0].contains("\u{1B}"))
        let dumb = try await PseudoTerminal.run(width: 80, call, environment: ["TERM": "dumb"])
        #expect(!dumb.lines[0].contains("\u{1B}") && dumb.lines[0] == none.lines[0])
        let always = try await PseudoTerminal.run(
            width: 80, ["scan", "--color", "always", Self.playlist], environment: ["TERM": "dumb"])
        #expect(always.lines[0].hasPrefix("\u{1B}[1m"))
    }
}
