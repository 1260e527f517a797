import Foundation
import TestSupport
import Testing

/// Each bad input causes one clear line and the right exit status; readable parts are still read.
@Suite(.timeLimit(.minutes(30))) struct BadInputTests {
    private static func segment(_ name: String = "seg00001.ts") throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: Tool.demo + "/v360/" + name))
    }

    private static func expectOneLine(
        _ result: Tool.Result, naming name: String, _ words: String, status: Int32,
        _ location: SourceLocation = #_sourceLocation
    ) {
        #expect(result.status == status, sourceLocation: location)
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count == 1, "\(lines)", sourceLocation: location)
        #expect(
            lines.first?.contains(name) == true && lines.first?.contains(words) == true, "\(lines)",
            sourceLocation: location)
    }

    @Test func missingFile_exitsWith3() async throws {
        let result = try await Tool.run("scan", "/no/such/file.ts")
        Self.expectOneLine(result, naming: "/no/such/file.ts", "no such file", status: 3)
        #expect(result.output.isEmpty)
    }

    @Test func emptyFile_exitsWith3() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("empty.ts", [])
        Self.expectOneLine(try await Tool.run("scan", file), naming: file, "is empty", status: 3)
    }

    @Test func emptyFolder_exitsWith3() async throws {
        let folder = try TemporaryFolder()
        Self.expectOneLine(
            try await Tool.run("scan", folder.path), naming: folder.path, "is empty", status: 3)
    }

    @Test func htmlPage_asASegment_exitsWith3_andIsIdentified() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("seg.ts", "<!DOCTYPE html>\n<html><body>404</body></html>".utf8)
        Self.expectOneLine(try await Tool.run("scan", file), naming: file, "HTML page", status: 3)
    }

    @Test func truncatedSegment_keepsTheTagBeforeTheTruncation() async throws {
        let whole = try Self.segment()
        let folder = try TemporaryFolder()
        let file = try folder.write("cut.ts", whole.prefix(whole.count - 100))
        let result = try await Tool.run("scan", "--format", "jsonl", file)
        #expect(result.status == 0)
        #expect(result.outputLines.count == 1)
    }

    @Test func playlistWithAMissingSegment_reportsItAndReadsTheOthers() async throws {
        let folder = try TemporaryFolder()
        for name in ["seg00001.ts", "seg00003.ts"] { _ = try folder.write(name, try Self.segment(name)) }
        let playlist = try folder.write(
            "index.m3u8",
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:7
            #EXTINF:6.4,
            seg00001.ts
            #EXTINF:6.4,
            seg00002.ts
            #EXTINF:6.4,
            seg00003.ts
            #EXT-X-ENDLIST

            """.utf8)
        let result = try await Tool.run("scan", "--format", "jsonl", playlist)
        Self.expectOneLine(result, naming: "seg00002.ts", "no such file", status: 0)
        #expect(result.outputLines.count == 2)
    }

    @Test func playlistThatReferencesItself_exitsWith3() async throws {
        let folder = try TemporaryFolder()
        let playlist = try folder.write(
            "self.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:7\n#EXTINF:6,\nself.m3u8\n#EXT-X-ENDLIST\n".utf8)
        Self.expectOneLine(
            try await Tool.run("scan", playlist), naming: "self.m3u8", "is a playlist; a media segment",
            status: 3)
        let multivariant = try folder.write(
            "loop.m3u8", "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nloop.m3u8\n".utf8)
        let result = try await Tool.run("scan", multivariant)
        #expect(result.status == 3)
        #expect(result.errors.contains("is a playlist; a media segment"))
    }

    @Test func validInput_besideAnInvalidOne_isReadAndExitsWith0() async throws {
        let result = try await Tool.run(
            "scan", "--format", "csv", "/no/such", Tool.demo + "/v360/seg00001.ts")
        #expect(result.status == 0)
        #expect(result.outputLines.count == 2)
    }

    @Test func folderWithAnEmptyPlaylist_isReadInNaturalOrder_andOtherFilesAreNamed() async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("seg10.ts", try Self.segment("seg00003.ts"))
        _ = try folder.write("seg2.ts", try Self.segment("seg00001.ts"))
        _ = try folder.write("index.m3u8", "#EXTM3U\n".utf8)
        _ = try folder.write("notes.txt", "remember the milk".utf8)
        let result = try await Tool.run("scan", "--format", "csv", folder.path)
        let lines = result.errors.split(separator: "\n")
        #expect(result.status == 0 && lines.count == 2, "\(lines)")
        #expect(lines.first?.hasSuffix("index.m3u8: lists no segment") == true, "\(lines)")
        #expect(
            lines.last?.hasSuffix("notes.txt: neither a media segment nor a playlist") == true, "\(lines)")
        #expect(result.outputLines.dropFirst().map { $0.contains("seg2.ts") } == [true, false])
    }

    @Test func invalidCall_exitsWith2_andShowsTheUsage() async throws {
        for arguments in [
            ["scan"], ["scan", "--no-such"], ["store", "lose"], ["tag", "--format", "xml"], ["nothing"],
        ] {
            let result = try await Tool.run(arguments: arguments)
            #expect(result.status == 2, "\(arguments)")
            #expect(
                result.errors.hasPrefix("dtvr: ") && result.errors.contains("\nusage: dtvr"), "\(arguments)")
            #expect(result.output.isEmpty)
        }
    }

    @Test(arguments: [
        (["check", "--owners", "FILE", "--against", "x"], "--against requires an INPUT"),
        (["check", "--owners", "FILE", "--jobs", "2"], "--jobs requires an INPUT"),
        (["check", "--list", "--cacert", "x"], "--cacert cannot be combined with --list"),
        (["synth", "--fault", "list", "--seed", "1"], "--seed cannot be combined with --fault list"),
        (["synth", "--fault", "list", "folder"], "unexpected argument 'folder'"),
        (["synth", "--script", "list", "--live", "0"], "--live cannot be combined with --script list"),
        (["synth", "--bitrate", "500", "--container", "packed-audio", "FILE.d"], "--bitrate requires"),
        (["synth", "--channels", "2", "FILE.d"], "--channels requires --live"),
        (["monitor", "--connect", "http://a/b"], "--connect requires --check-config"),
        (["store", "status", "--dead"], "--dead is for list, export, prune"),
        (["run", "--token-file", "FILE", "FILE"], "--token-file requires --collector"),
    ])
    func flagWithoutEffect_isAnError(call: [String], message: String) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("log", "text".utf8)
        let result = try await Tool.run(arguments: call.map { $0.replacing("FILE", with: file) })
        #expect(result.status == 2 && result.errors.contains(message), "\(result.errors)")
    }

    @Test func operand_thatIsNotANielsenOwnerIdentifier_exitsWith3() async throws {
        let result = try await Tool.run("tag", "com.apple.streaming.transportStreamTimestamp")
        #expect(result.status == 3)
        #expect(result.errors.contains("neither the owner identifier of a Nielsen tag nor a file"))
        let long = try await Tool.run("tag", String(repeating: "x", count: 61))
        #expect(long.errors.contains("'" + String(repeating: "x", count: 60) + "…'"), "\(long.errors)")
    }

    /// Nothing is created, whether or not the folder exists.
    @Test(arguments: [
        ["store", "status"], ["store", "list"], ["store", "export"], ["store", "verify"], ["store", "retry"],
        ["store", "prune", "--older-than", "1d"], ["upload", "--collector", "http://127.0.0.1:9"],
    ])
    func missingBuffer_exitsWith4AndCreatesNothing(call: [String]) async throws {
        let folder = try TemporaryFolder()
        let store = folder.path + "/store"
        let arguments = call + ["--store", store]
        Self.expectOneLine(
            try await Tool.run(arguments: arguments), naming: store, "there is no buffer", status: 4)
        #expect(!FileManager.default.fileExists(atPath: store))
        try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: false)
        Self.expectOneLine(
            try await Tool.run(arguments: arguments), naming: store, "there is no buffer", status: 4)
        #expect(try FileManager.default.contentsOfDirectory(atPath: store).isEmpty)
    }
}

extension BadInputTests {
    /// A name from a playlist is displayed, but cannot control a terminal or fill a log.
    @Test func nameWithEscapeSequences_isSanitizedAndTruncated() async throws {
        let folder = try TemporaryFolder()
        let name = "a\u{1B}[2Jb" + String(repeating: "x", count: 100_000) + ".ts"
        let playlist = try folder.write(
            "index.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n\(name)\n#EXT-X-ENDLIST\n".utf8)
        let result = try await Tool.run("scan", playlist)
        #expect(result.status == 3)
        #expect(
            !result.errors.contains("\u{1B}") && result.errors.contains("<1B>[2Jb"),
            "\(result.errors.prefix(300))")
        #expect(result.errors.utf8.count < 10_000)
    }
}
