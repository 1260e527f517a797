import Foundation
import StreamHealth
import TestSupport
import Testing

/// Several files among the operands of a command.
@Suite(.timeLimit(.minutes(30))) struct OperandTests {
    /// The segments of a rendition of the demonstration stream, with a tag in every second one.
    private static let segments = (0..<19).map { "seg\(String(format: "%05d", $0)).ts" }
    /// A segment with a DATA tag in the middle.
    private static let lost = 9

    private static func bytes(_ index: Int, of rendition: String = "v360") throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: "\(Tool.demo)/\(rendition)/\(segments[index])"))
    }

    /// Writes segments without a playlist, under new names.
    private static func write(
        _ indices: some Sequence<Int> = 0..<19, of rendition: String = "v360", in folder: TemporaryFolder,
        _ name: (Int) -> String
    ) throws -> [String] {
        try indices.map { index in try folder.write(name(index), Array(bytes(index, of: rendition))) }
    }

    private static func verdict(_ operands: [String]) async throws -> [String: Any] {
        try await CheckTests.json(arguments: operands).verdict
    }

    private static func details(_ verdict: [String: Any]) -> [String] {
        CheckTests.findings(.timeOverlap, in: verdict).compactMap { $0["detail"] as? String }
    }

    // MARK: One presentation

    @Test func lostSegment_failsInEveryForm_asInTheFolder() async throws {
        let folder = try TemporaryFolder()
        let names = try Self.write((0..<19).filter { !(7...11).contains($0) }, in: folder) { "seg\($0).ts" }
        // The shell sorts seg10 before seg2.
        for format in ["text", "json", "jsonl", "csv", "html", "junit"] {
            let whole = try await Tool.run("check", "--format", format, folder.path)
            for operands in [names.sorted(), names.reversed()] {
                let named = try await Tool.run(arguments: ["check", "--format", format] + operands)
                #expect(named.status == 1 && whole.status == 1)
                if format != "html" { #expect(named.output == whole.output, "\(format)") }
            }
            let apart = try await Tool.run(arguments: ["check", "--separate", "--format", format] + names)
            #expect(apart.status == 0)
        }
        let strict = try await Tool.run(
            arguments: ["run", "--strict", "--store", folder.path + "/store"] + names)
        #expect(strict.status == 1 && strict.output.contains("sequence.step"), "\(strict)")
        let scan = try await Tool.run(arguments: ["scan", "--format", "jsonl"] + names.reversed())
        #expect(try await Tool.run("scan", "--format", "jsonl", folder.path).output == scan.output)
        #expect(
            try await Tool.run(arguments: ["scan", "--format", "jsonl", "--jobs", "1"] + names).output
                == scan.output)
    }

    @Test func playlistAndOtherFolder_areJudgedApart() async throws {
        let folder = try TemporaryFolder()
        let other = try TemporaryFolder()
        let names = try Self.write(0..<4, in: folder) { "seg\($0).ts" }
        let others = try Self.write(4..<6, in: other) { "seg\($0).ts" }
        let result = try await Tool.run(
            arguments: ["check", "--format", "jsonl", CheckTests.demo, names[0], others[1]] + names + others)
        let sources = try result.outputLines.map { line in
            try (JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["source"] as? String
        }
        #expect(result.status == 0 && sources == [CheckTests.demo, folder.path, other.path], "\(result)")
    }

    @Test func missingSegmentAndOtherFiles_areReportedByName() async throws {
        let folder = try TemporaryFolder()
        var names = try Self.write(0..<4, in: folder) { "seg\($0).ts" }
        names += [folder.path + "/seg9.ts", try folder.write("notes.txt", "no media".utf8)]
        let result = try await Tool.run(arguments: ["check", "--format", "json"] + names)
        #expect(result.status == 0 && result.errors.contains("seg9.ts: no such file"), "\(result)")
        #expect(result.errors.contains("notes.txt"), "\(result)")
        #expect(result.output.contains(#""segments":5,"failed_segments":1"#), "\(result.output.prefix(200))")
        let none = try await Tool.run("check", folder.path + "/a.ts", folder.path + "/b.ts")
        #expect(none.status == 3 && none.errors.contains("no such file or directory"), "\(none)")
    }

    @Test func shardAndResume_takeAFolderAsOneInput() async throws {
        let folder = try TemporaryFolder()
        let names = try Self.write(0..<4, in: folder) { "seg\($0).ts" }
        var counts: [Int] = []
        for shard in 0..<3 {
            let part = try await Tool.run(
                arguments: ["check", "--format", "jsonl", "--shard", "\(shard)/3"] + names)
            counts.append(part.outputLines.count)
        }
        #expect(counts.sorted() == [0, 0, 1])
        let file = folder.path + "/lines.jsonl"
        for skipped in [false, true] {
            let result = try await Tool.run(
                arguments: ["check", "--format", "jsonl", "--resume", file] + names)
            #expect(result.errors.contains("skipped 1 input ") == skipped, "\(result)")
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").count == 1)
        // Each line of a list is an input.
        let list = try folder.write("list", names.joined(separator: "\n").utf8)
        let lines = try await Tool.run("check", "--format", "jsonl", "--inputs", list)
        #expect(lines.outputLines.count == 4)
    }

    // MARK: Order

    @Test func namesWithoutOrder_areReadByTheirTimestamps() async throws {
        let folder = try TemporaryFolder()
        let letters = Array("qwertzuiopasdfghjkly")
        let names = try Self.write(in: folder) { "\(letters[$0])x.ts" }
        for operands in [[folder.path], names.sorted()] {
            let verdict = try await Self.verdict(operands)
            #expect(verdict["verdict"] as? String == "pass", "\(Self.details(verdict))")
            #expect(verdict["segments"] as? Int == 19)
        }
    }

    @Test func twoRenditionsInOneFolder_areReportedByName() async throws {
        let folder = try TemporaryFolder()
        let names =
            try Self.write(in: folder) { "video_\($0).ts" }
            + Self.write(of: "v540", in: folder) { "audio_\($0).ts" }
        for operands in [[folder.path], names] {
            let verdict = try await Self.verdict(operands)
            #expect(Self.hits(verdict)["time.overlap"] == "fail")
            let first = try #require(Self.details(verdict).first)
            #expect(first.hasPrefix("PTS goes back by "), "\(first)")
            #expect(first.contains(" between audio_18.ts and video_0.ts: segments of several renditions"))
        }
    }

    // MARK: Containers

    /// A series that changes from a transport stream to packed audio, and fragments with their initialization section.
    @Test func severalContainers_areJudgedAsOneInput() async throws {
        let folder = try TemporaryFolder()
        for container in ["ts", "packed-audio", "fmp4"] {
            let made = try await Tool.run(
                "synth", "--container", container, "--duration", "30s", "\(folder.path)/\(container)")
            #expect(made.status == 0, "\(made)")
        }
        let mixed = try TemporaryFolder()
        let fragmented = try TemporaryFolder()
        for index in 0..<5 {
            let source = index < 2 ? "ts/v360/seg0000\(index).ts" : "packed-audio/audio/seg0000\(index).aac"
            _ = try mixed.write(
                String(source.split(separator: "/")[2]),
                Data(contentsOf: URL(filePath: "\(folder.path)/\(source)")))
        }
        for name in ["init.mp4"] + (0..<5).map({ "seg0000\($0).m4s" }) {
            _ = try fragmented.write(
                name, Data(contentsOf: URL(filePath: "\(folder.path)/fmp4/audio/\(name)")))
        }
        for inputs in [mixed, fragmented] {
            let names = try FileManager.default.contentsOfDirectory(atPath: inputs.path)
            let verdict = try await Self.verdict(names.map { "\(inputs.path)/\($0)" })
            #expect(verdict["verdict"] as? String == "pass", "\(verdict)")
            #expect(Self.hits(verdict).isEmpty)
        }
    }

    // MARK: Content that repeats

    @Test func copyOfAFile_isContentThatRepeats() async throws {
        let folder = try TemporaryFolder()
        let names =
            try Self.write(in: folder) { "seg\($0).ts" }
            + Self.write([5], in: folder) { "seg\($0) (copy).ts" }
        let verdict = try await Self.verdict(names)
        #expect(Self.hits(verdict) == ["time.overlap": "warn"])
        #expect(Self.details(verdict).count == 1, "\(Self.details(verdict))")
    }

    @Test(arguments: [false, true]) func loop_isContentThatRepeats(hasDiscontinuity: Bool) async throws {
        let folder = try TemporaryFolder()
        _ = try Self.write(in: folder) { Self.segments[$0] }
        let text = try String(contentsOfFile: Tool.demo + "/v360/index.m3u8", encoding: .utf8)
        let lines = text.split(separator: "\n").filter { $0 != "#EXT-X-ENDLIST" && !$0.contains("DATE-TIME") }
        let start = try #require(lines.firstIndex { $0.hasPrefix("#EXTINF") })
        let between = hasDiscontinuity ? ["#EXT-X-DISCONTINUITY"] : []
        let twice = lines + between.map { $0[...] } + lines[start...] + ["#EXT-X-ENDLIST"]
        let playlist = try folder.write("index.m3u8", twice.joined(separator: "\n").utf8)
        let verdict = try await Self.verdict([playlist])
        let status = hasDiscontinuity ? "warn" : "fail"
        #expect(Self.hits(verdict) == ["time.overlap": status, "sequence.step": "warn"])
        let details = Self.details(verdict)
        #expect(details.count == 1 && details[0].contains("tag times go back by 120 s"), "\(details)")
        #expect(details[0].hasSuffix("the content repeats (clock: tag)"))
    }

    /// A file that was joined twice, as one segment and from standard input.
    @Test func archiveJoinedTwice_isContentThatRepeats() async throws {
        let folder = try TemporaryFolder()
        let once = try (0..<19).reduce(into: Data()) { $0 += try Self.bytes($1) }
        let file = try folder.write("twice.ts", Array(once + once))
        for (operand, input) in [(file, Data()), ("-", once + once)] {
            let result = try await Tool.run("check", "--format", "json", operand, input: input)
            #expect(!result.output.contains("put it into two segments"), "\(operand)")
            #expect(!result.output.contains("encoder was restarted"), "\(operand)")
            #expect(result.output.contains("the content repeats"), "\(operand)")
            #expect(result.output.contains(#""segments":1,"#))
        }
    }

    private static func hits(_ verdict: [String: Any]) -> [String: String] {
        CheckTests.statuses(verdict).filter { $0.value == "warn" || $0.value == "fail" }
    }

    // MARK: Standard input

    @Test func streamThatIsReadInParts_isOneSegment() async throws {
        let once = try (0..<19).reduce(into: Data()) { $0 += try Self.bytes($1) }
        let text = try await Tool.run("check", "-", input: once)
        #expect(text.output.contains("of media in 1 segment\n"), "\(text.output)")
        let folder = try TemporaryFolder()
        let run = try await Tool.run("run", "--store", folder.path + "/store", "-", input: once)
        #expect(run.output.contains("read       1 segment,"), "\(run.output)")
    }
}
