import Foundation
import TestSupport
import Testing

/// Sets of inputs as a user or a scheduler specifies them: `--inputs`, `--shard`, `--resume`.
@Suite(.timeLimit(.minutes(30))) struct InputListTests {
    private static let segments = (0..<12).map { Tool.demo + "/v360/seg\(String(format: "%05d", $0)).ts" }

    private static func sources(_ lines: some StringProtocol) throws -> [String] {
        try lines.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(object?["source"] as? String)
        }
    }

    // MARK: Lists

    @Test func list_isReadAfterTheOperands_withoutBlankLinesAndComments() async throws {
        let folder = try TemporaryFolder()
        let names = [1, 2, 3, 4].map { Self.segments[$0] }
        let text = "# archive\n\n  \(names[0])\t\r\n\(names[1])\n \n#\(names[2])\n\(names[3])"
        let list = try folder.write("inputs.txt", text.utf8)
        let expected = [0, 1, 2, 4].map { Self.segments[$0] }
        for (path, input) in [(list, Data()), ("-", Data(text.utf8))] {
            let check = try await Tool.run(
                "check", "--format", "jsonl", "--inputs", path, Self.segments[0], input: input)
            #expect(check.status == 0, "\(check.errors)")
            #expect(try Self.sources(check.output) == expected)
        }
        let named = try await Tool.run(arguments: ["scan", "--separate", "--format", "jsonl"] + expected)
        let scan = try await Tool.run("scan", "--format", "jsonl", "--inputs", list, Self.segments[0])
        #expect(scan.output == named.output && !scan.output.isEmpty)
        let store = folder.path + "/buffer"
        let run = try await Tool.run("run", "--store", store, "--inputs", list)
        #expect(run.status == 0 && run.output.contains("read       3 segments"), "\(run.output)")
    }

    @Test func invalidLine_isReported_andTheOthersAreRead() async throws {
        let folder = try TemporaryFolder()
        let long = String(repeating: "x", count: 16_385)
        let text = Array("\(Self.segments[1])\n\(long)\n".utf8) + [0xFF, 0x0A] + Array(Self.segments[2].utf8)
        let list = try folder.write("inputs.txt", text)
        let result = try await Tool.run("check", "--format", "jsonl", "--inputs", list)
        #expect(result.status == 0)
        #expect(try Self.sources(result.output) == [Self.segments[1], Self.segments[2]])
        #expect(result.errors.contains("\(list):2: is longer than 16384 bytes"))
        #expect(result.errors.contains("\(list):3: is not UTF-8"))
        #expect(result.errors.utf8.count < 1_000)
    }

    @Test func listThatCannotBeRead_isAnError() async throws {
        let folder = try TemporaryFolder()
        let missing = try await Tool.run("scan", "--inputs", folder.path + "/no.txt")
        #expect(missing.status == 2 && missing.errors.contains("no.txt: no such file or directory"))
        let directory = try await Tool.run("scan", "--inputs", folder.path)
        #expect(directory.status != 0 && directory.errors.contains("is a directory"))
        let twice = try await Tool.run("scan", "--inputs", "-", "-")
        #expect(twice.status == 2 && twice.errors.contains("both an input and the list"))
        let empty = try await Tool.run("check", "--inputs", "-", input: Data("# nothing\n".utf8))
        #expect(empty.status == 3)
    }

    // MARK: Shards

    @Test func shards_combined_matchTheOutputOfOneProcess() async throws {
        let folder = try TemporaryFolder()
        let list = try folder.write("inputs.txt", Self.segments.joined(separator: "\n").utf8)
        for command in [["check", "--format", "jsonl"], ["scan", "--format", "jsonl"]] {
            let whole = try await Tool.run(arguments: command + ["--inputs", list])
            var lines: [Substring] = []
            for shard in 0..<3 {
                let part = try await Tool.run(
                    arguments: command + ["--inputs", list],
                    environment: shard == 0
                        ? ["DTVR_SHARD": "0/3"] : ["DTVR_SHARD": "\(shard)", "DTVR_SHARDS": "3"])
                #expect(part.status == 0, "\(part.errors)")
                #expect(!part.outputLines.isEmpty && part.outputLines.count < whole.outputLines.count)
                lines += part.outputLines
            }
            #expect(lines.sorted() == whole.outputLines.sorted())
        }
    }

    @Test func shardWithoutInputs_exitsWith0() async throws {
        // One input has one shard, so the others have none.
        var statuses: [String] = []
        for command in ["scan", "check", "run"] {
            for shard in 0..<2 {
                let folder = try TemporaryFolder()
                var arguments = [command, "--shard", "\(shard)/2", Self.segments[1]]
                if command == "run" { arguments += ["--store", folder.path + "/buffer"] }
                let result = try await Tool.run(arguments: arguments)
                #expect(result.status == 0, "\(result.errors)")
                statuses.append(
                    result.errors.contains("no input belongs to shard \(shard)/2") ? "none" : "read")
            }
        }
        #expect(statuses.count { $0 == "none" } == 3 && Set(statuses).count == 2, "\(statuses)")
    }

    @Test func shard_withAnInvalidIndexOrCount_isAUsageError() async throws {
        let bare = try await Tool.run("scan", "--shard", "1", "x")
        #expect(bare.status == 2 && bare.errors.contains("DTVR_SHARDS=N"))
        for (shard, count) in [("2/2", ""), ("x", ""), ("2", "2"), ("1", "y")] {
            let result = try await Tool.run(
                "scan", "--shard", shard, "x", environment: ["DTVR_SHARDS": count])
            #expect(result.status == 2 && result.errors.contains("0 <= I < N"), "\(result.errors)")
        }
    }

    // MARK: Resuming

    @Test func check_killedAtAnyPoint_producesTheSameLinesWhenResumed() async throws {
        let folder = try TemporaryFolder()
        let names = Array(Self.segments.prefix(3)) + ["nowhere.ts", Self.segments[3]]
        let list = try folder.write("inputs.txt", names.joined(separator: "\n").utf8)
        let file = folder.path + "/lines.jsonl"
        let arguments = ["check", "--format", "jsonl", "--inputs", list, "--resume", file]
        let first = try await Tool.run(arguments: arguments)
        #expect(first.status == 0 && first.output.isEmpty, "\(first.errors)")
        let whole = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect(try Self.sources(String(decoding: whole, as: UTF8.self)) == names)
        let ends = whole.indices.filter { whole[$0] == 0x0A }
        // After each line, within each line after the first one, and just before its end.
        let lengths = [0, ends[0] + 1] + ends.dropFirst().flatMap { [$0 + 1, $0 - 100, $0] }
        for length in lengths {
            try whole.prefix(length).write(to: URL(fileURLWithPath: file))
            let again = try await Tool.run(arguments: arguments)
            #expect(again.status == 0, "\(again.errors)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == whole, "cut after \(length) bytes")
        }
        // An unreadable input has a line too, with the reason, and is not tried again.
        let done = try await Tool.run(arguments: arguments)
        #expect(!done.errors.contains("nowhere.ts") && done.errors.contains("skipped 5 inputs"))
        let line = try #require(
            String(decoding: whole, as: UTF8.self).split(separator: "\n").dropFirst(3).first)
        #expect(line.contains(#""error":"nowhere.ts: no such file or directory""#))
    }

    @Test func scan_killedAtAnyPoint_producesTheSameLinesWhenResumed() async throws {
        let folder = try TemporaryFolder()
        // The second segment has no tag, so it has no line; the last input has several.
        let names = (1...3).map { Self.segments[$0] } + ["nowhere.ts", Tool.demo + "/index.m3u8"]
        let list = try folder.write("inputs.txt", names.joined(separator: "\n").utf8)
        let file = folder.path + "/lines.jsonl"
        let plain = try await Tool.run("scan", "--format", "jsonl", "--inputs", list)
        let arguments = ["scan", "--format", "jsonl", "--inputs", list, "--resume", file]
        let first = try await Tool.run(arguments: arguments)
        #expect(first.status == plain.status && first.output.isEmpty, "\(first.errors)")
        let whole = try Data(contentsOf: URL(fileURLWithPath: file))
        #expect(String(decoding: whole, as: UTF8.self) == plain.output)
        let ends = whole.indices.filter { whole[$0] == 0x0A }
        #expect(ends.count > 10)
        var lengths = [0, whole.count, ends[0] + 1]
        for end in ends[1..<5] { lengths += [end + 1, end - 100, end] }
        for length in lengths {
            try whole.prefix(length).write(to: URL(fileURLWithPath: file))
            let again = try await Tool.run(arguments: arguments)
            #expect(again.status == 0, "\(again.errors)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == whole, "cut after \(length) bytes")
        }
        let done = try await Tool.run(arguments: arguments)
        #expect(done.errors.contains("skipped 2 inputs that were read before"), "\(done.errors)")
        let verdicts = try folder.write("verdicts.jsonl", #"{"source":"a","verdict":"pass"}"# + "\n")
        let foreign = try await Tool.run(
            "scan", "--format", "jsonl", "--resume", verdicts, Self.segments[0])
        #expect(foreign.status == 6 && foreign.errors.contains("line 1 is not a tag"), "\(foreign.errors)")
        let text = try await Tool.run("scan", "--resume", file, Self.segments[0])
        #expect(text.status == 2 && text.errors.contains("requires --format jsonl"))
    }

    @Test func fileOfAnotherKind_isNotChanged() async throws {
        let folder = try TemporaryFolder()
        let long = String(repeating: "x", count: 100_000)
        let texts = [
            "a note\n", "{}\n", #"{"source":"a"}"# + "\n", "[1]\nrest", "a note", #"{"name":"a"}"#,
            #"{"source": "a""#, "\u{0}", long,
            // Without a line of the command, the beginning of one may be that of another program.
            #"{"source":"a","value":1}"#, #"{"source":"a","verdict":"pass"}"#, #"{"source":""#, "{",
        ]
        for text in texts {
            let file = try folder.write("other.txt", text.utf8)
            let result = try await Tool.run(
                "check", "--format", "jsonl", "--resume", file, Self.segments[0])
            #expect(
                result.status == 6 && result.errors.contains("line 1 is not the verdict"), "\(result.errors)")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
        }
        let other = try await Tool.run("check", "--resume", folder.path + "/x", Self.segments[0])
        #expect(other.status == 2 && other.errors.contains("requires --format jsonl"))
    }
}
