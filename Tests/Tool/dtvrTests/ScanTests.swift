import Foundation
import TestSupport
import Testing

@testable import StreamSynthesis

/// The output of `dtvr scan`, compared with the contents of the stream.
@Suite(.timeLimit(.minutes(30))) struct ScanTests {
    private static func lines(_ arguments: String...) async throws -> [[String: Any]] {
        let result = try await Tool.run(arguments: ["scan", "--format", "jsonl"] + arguments)
        #expect(result.status == 0)
        #expect(result.errors.isEmpty, "\(result.errors)")
        return try result.outputLines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    /// Returns the tags that the settings of the demonstration stream define, without encoding any picture.
    private static func made() -> [ScheduledTag] {
        SynthesisSettings().tags(ofRendition: 0)
    }

    @Test func demonstration_printsEachTagAsSynthesized() async throws {
        let made = Self.made()
        #expect(made.count == 13)
        let lines = try await Self.lines(Tool.demo + "/index.m3u8")
        #expect(
            lines.map { $0["owner"] as? String }
                == made.map(\.ownerIdentifier))
        #expect(lines.map { $0["pts"] as? Int64 } == made.map(\.time))
    }

    @Test func demonstration_hasEveryContractKeyOfItsCarriage() async throws {
        let keys: Set = [
            "source", "rendition", "segment", "media_sequence", "program_date_time", "pts", "seconds",
            "carriage",
            "pid", "owner", "kind", "sequence", "first", "last", "pc_cid", "fd_cid", "pc_offset", "fd_offset",
            "breakout", "checksum_ok", "problems",
        ]
        for line in try await Self.lines(Tool.demo + "/index.m3u8") {
            #expect(Set(line.keys) == keys)
            #expect(line["problems"] as? [String] == [])
        }
    }

    @Test func eachRendition_hasTheSameTags() async throws {
        let made = Self.made().map(\.ownerIdentifier)
        for choice in ["lowest", "highest", "all", "audio", "v540/index.m3u8"] {
            let lines = try await Self.lines("--rendition", choice, Tool.demo + "/index.m3u8")
            #expect(lines.map { $0["owner"] as? String } == made, "\(choice)")
        }
        let missing = try await Tool.run("scan", "--rendition", "v720", Tool.demo + "/index.m3u8")
        #expect(missing.status == 3)
        #expect(missing.errors.contains("has no rendition 'v720'"))
    }

    @Test func liveStreamOnStandardInput_printsEachTagBeforeTheNextOne() async throws {
        let folder = try TemporaryFolder()
        let output = try folder.write("output", [])
        let pipe = Pipe()
        let process = try Tool.start(
            arguments: ["scan", "--format", "jsonl", "-"], home: folder.path,
            input: pipe.fileHandleForReading, output: FileHandle(forWritingTo: URL(fileURLWithPath: output)))
        defer { process.killAndWait() }
        for (index, name) in ["seg00000.ts", "seg00001.ts", "seg00003.ts"].enumerated() {
            let segment = try Data(contentsOf: URL(fileURLWithPath: "\(Tool.demo)/v360/\(name)"))
            try pipe.fileHandleForWriting.write(contentsOf: segment)
            try await wait(for: "tag \(index)") {
                let text = try String(contentsOfFile: output, encoding: .utf8)
                return text.split(separator: "\n").count == index + 1
            }
        }
    }

    @Test func inputWithoutTags_isReportedOnStandardError() async throws {
        let none = "\(Tool.demo)/v360/seg00002.ts"
        let result = try await Tool.run("scan", none)
        #expect(result.status == 0 && result.errors == "dtvr: found no Nielsen tag\n", "\(result.errors)")
        let one = try await Tool.run("scan", "\(Tool.demo)/v360/seg00001.ts", none)
        #expect(one.errors.isEmpty)
        #expect(one.outputLines.last?.contains("  seg00001.ts  ") == true)
    }

    @Test(arguments: ["csv", "text"]) func severalInputs_haveOneHeader(format: String) async throws {
        let files = ["v360/seg00000.ts", "v360/seg00001.ts"].map { "\(Tool.demo)/\($0)" }
        let result = try await Tool.run(arguments: ["scan", "--separate", "--format", format] + files)
        let header = try #require(result.outputLines.first)
        #expect(result.outputLines.count { $0 == header } == 1, "\(result.output.prefix(2_000))")
        var rows: [Substring] = []
        for file in files {
            let one = try await Tool.run("scan", "--format", format, file)
            #expect(one.outputLines.first == header)
            rows += one.outputLines.dropFirst()
        }
        #expect(Array(result.outputLines.dropFirst()) == rows && rows.count >= 2)
    }

    @Test func segmentOnStandardInput_isReadLikeAFile() async throws {
        let file = Tool.demo + "/v360/seg00001.ts"
        let fromFile = try await Tool.run("scan", "--format", "csv", file)
        let fromInput = try await Tool.run(
            "scan", "--format", "csv", "-", input: try Data(contentsOf: URL(fileURLWithPath: file)))
        #expect(fromInput.status == 0)
        #expect(fromInput.output == fromFile.output.replacingOccurrences(of: file, with: "-"))
    }

    @Test func closedOutputReader_endsTheScanSilently() async throws {
        let folder = try TemporaryFolder()
        let errors = folder.path + "/errors"
        let command = "'\(Tool.path)' scan --all '\(Tool.demo)/index.m3u8' 2>'\(errors)' | head -1 >/dev/null"
        let shell = try await FinishedProcess.of("/bin/sh", ["-c", command])
        #expect(shell.status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: errors)).isEmpty)
    }

    /// The public sample owner identifiers, decoded by the tool.
    @Test(arguments: [
        (
            "www.nielsen.com/X100zdCIGeIlgZnkYj6UvQ==/pI-X5FFk07770SXf2ZbI6g==/CE0C61TsDo0jIrNn9N2yTPe6nVG3dHZHfgS52fJeQj"
                + "f9fJCga9tj4OW4NXPZ9fI1mx0gfYUPBXnjqolHemZPtn_FCoNg8Dqw8-Auruf15fU04pJfXTTN0IgZ4iWBmeRiPpS9X100zdCIGeIlgZ"
                + "nkYj6UvVjmPIdY5jyRQTA=/00000/21778/00",
            [
                "data", "2125", "1491483783", "1491483793", "X100zdCIGeIlgZnkYj6UvQ==",
                "pI-X5FFk07770SXf2ZbI6g==", "0",
                "21778", "0", "true", "",
            ]
        ),
        (
            "www.nielsen.com/X100zdCIGeIlgZnkYj6UvQ==/X100zdCIGeIlgZnkYj6UvQ==/AAAB2Jz2_k74GXSzx4npHuI_JwJd3QSUpW30rDkGTc"
                + "bHEzIMWleCzM-uvNOP9fzJcQMWQLJqzXMCAxParOb5sGijSV9dNM3QiBniJYGZ5GI-lL1fXTTN0IgZ4iWBmeRiPpS9AAAAAAAAAAAAAA"
                + "AAAAAAAFJWFM5SVhTONNU=/00000/00000/00",
            [
                "info", "0", "1381373134", "1381373134", "X100zdCIGeIlgZnkYj6UvQ==",
                "X100zdCIGeIlgZnkYj6UvQ==", "0", "0",
                "0", "true", "",
            ]
        ),
        (
            "www.nielsen.com/065H2g6E7ZyQ5UdmMAbbpg==/_EMc37zfVgq_8KB7baUYfg==/ADQCAmgV1Xyvnynyg60kZO_Ejkcn2KLSrTzyJpZZ-Q"
                + "eRn8GpMGTWI7-HrEKzghxyzCyBEoIDv2kA2g1QJmeYOl5GnwfrLDVK2bNLTbQxr1z9VBfxahBcQP5tqbjhyMzdVqrMKuvvJO1jhtSXa9"
                + "AroChb11ZUnG1WVJx2O4M=/33648/22847/00",
            [
                "data", "52", "1448385645", "1448385654", "065H2g6E7ZyQ5UdmMAbbpg==",
                "_EMc37zfVgq_8KB7baUYfg==", "33648",
                "22847", "0", "true", "",
            ]
        ),
    ])
    func publicSample_decodesToItsValues(owner: String, values: [String]) async throws {
        let result = try await Tool.run("tag", "--format", "csv", owner)
        #expect(result.status == 0)
        let row = ([owner] + values).joined(separator: ",")
        #expect(result.outputLines.last.map(String.init) == row + ",,,,")
        let fromInput = try await Tool.run("tag", "--format", "csv", input: Data((owner + "\n").utf8))
        #expect(fromInput.outputLines.last.map(String.init) == row + ",-,1,1,")
        // From the middle of a log, wrapped and escaped; the repairs are reported.
        let wrapped =
            owner.prefix(100) + "\n    " + owner.dropFirst(100).replacing("=", with: "\\u003d")
        let log = Data("12:00 {\"id\":\"\(wrapped)\"}\nnext line".utf8)
        let fromLog = try await Tool.run("tag", "--format", "csv", input: log)
        #expect(fromLog.outputLines.last?.hasPrefix(row + ",-,1,14,line end; \\u003d") == true)
        #expect(fromLog.errors.contains("1:14: repaired: line end at 1:114, \\u003d at 2:"))
        // JSON contains the position of each identifier and its repairs.
        let lines = try await Tool.run("tag", "--format", "jsonl", input: log)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(lines.output.utf8)) as? [String: Any])
        #expect(object["owner"] as? String == owner)
        #expect(object["line"] as? Int == 1 && object["column"] as? Int == 14)
        let repairs = try #require(object["repairs"] as? [[String: Any]])
        #expect(repairs.count == 1 + owner.dropFirst(100).count { $0 == "=" })
        #expect(repairs[0]["kind"] as? String == "line end")
        #expect(repairs[0]["line"] as? Int == 1 && repairs[0]["column"] as? Int == 114)
        #expect(repairs[1]["kind"] as? String == "\\u003d" && repairs[1]["line"] as? Int == 2)
        let plain = try await Tool.run("tag", "--format", "jsonl", owner)
        #expect(plain.status == 0 && !plain.output.contains("\"line\""))
    }
}
