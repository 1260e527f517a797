import ByteReading
import Foundation
import TestSupport
import Testing

/// The text that `dtvr tag` and `dtvr check --owners` read, and their messages about repairs.
@Suite(.timeLimit(.minutes(30))) struct OwnerTextInputTests {
    /// Returns the owner identifiers of the demonstration stream.
    private static func owners() async throws -> [String] {
        let scan = try await Tool.run("scan", "--format", "jsonl", Tool.demo + "/index.m3u8")
        return try scan.outputLines.map { line in
            let start = try #require(line.range(of: "www.nielsen.com/")).lowerBound
            return String(line[start...].prefix(249))
        }
    }

    /// Returns an identifier with text after one of its characters.
    private static func identifier(_ owner: String, with text: String, behind count: Int) -> String {
        owner.prefix(count) + text + owner.dropFirst(count)
    }

    /// Returns the lines that both commands print on standard error.
    private static func notes(on text: String) async throws -> (tag: [Substring], check: [Substring]) {
        let tag = try await Tool.run("tag", input: Data(text.utf8))
        let check = try await Tool.run("check", "--owners", "-", input: Data(text.utf8))
        return (tag.errors.split(separator: "\n"), check.errors.split(separator: "\n"))
    }

    @Test func repairedIdentifiers_areReportedIdentically_byBothCommands() async throws {
        let owners = try await Self.owners()
        let wrapped = Self.identifier(owners[1], with: "\n    ", behind: 100)
        let escaped = owners[2].replacing("=", with: "%3D")
        let broken = Self.identifier(owners[3], with: "  ", behind: 100).dropLast(3)
        let notes = try await Self.notes(on: "id \(wrapped)\n\(escaped)\n\(broken)\n\(owners[4])\n")
        #expect(
            notes.tag == [
                "dtvr: standard input:1:4: repaired: line end at 1:104",
                "dtvr: standard input:3:1: repaired: %3D at 3:39 and 4 more",
                "dtvr: standard input:4:1: repaired: blanks at 4:101; it is still broken",
            ])
        #expect(notes.check == notes.tag)
    }

    @Test func manyRepairedIdentifiers_areGroupedByKind_byBothCommands() async throws {
        let owners = try await Self.owners()
        let wrapped = owners.prefix(6).map { Self.identifier($0, with: "\n", behind: 20) }
        let escaped = owners.dropFirst(6).prefix(2).map { $0.replacing("=", with: "%3D") }
        let broken = owners.dropFirst(8).prefix(2).map {
            Self.identifier($0, with: "\n", behind: 20).dropLast(3)
        }
        let text = (wrapped + escaped + broken.map(String.init)).joined(separator: "\n")
        let notes = try await Self.notes(on: text)
        #expect(
            notes.tag == [
                "dtvr: standard input: repaired 6 identifiers: line end; in lines 1, 3, 5, 7 and 2 more",
                "dtvr: standard input: repaired 2 identifiers: %3D; in lines 13, 14",
                "dtvr: standard input: repaired 2 identifiers: line end; in lines 15, 17; they are still broken",
            ])
        #expect(notes.check == notes.tag)
    }

    /// Every combination of five kinds: 31 groups.
    @Test func repairKinds_beyondTheLimit_areCounted() async throws {
        let owners = try await Self.owners()
        let lines = (1..<32).map { set in
            var owner = owners[set % owners.count]
            if set & 1 != 0 { owner = owner.replacing("=", with: "%3D") }
            if set & 2 != 0 { owner = "WWW" + owner.dropFirst(3) }
            for (bit, text) in [(4, "  "), (8, ": "), (16, "\n")] where set & bit != 0 {
                owner = Self.identifier(owner, with: text, behind: 18 + bit)
            }
            return owner
        }
        let notes = try await Self.notes(on: lines.joined(separator: "\n"))
        #expect(notes.tag.count == 9)
        #expect(notes.tag.last == "dtvr: standard input: 23 more identifiers were repaired", "\(notes.tag)")
        // The demonstration has thirteen tags.
        #expect(notes.check == notes.tag + ["dtvr: standard input: 18 duplicate identifiers are ignored"])
    }

    @Test func files_areReadInOrder_withThePositionOfEachIdentifier() async throws {
        let owners = try await Self.owners()
        let folder = try TemporaryFolder()
        let first = try folder.write("a.log", "start\nid=\(owners[0]) \(owners[1])\n".utf8)
        let second = try folder.write("b,2.log", "\(owners[2].replacing("=", with: "%3D"))\n".utf8)
        let calls = [first, second, owners[3], "-"]
        let input = Data("\n\n \(owners[4])".utf8)
        let csv = try await Tool.run(arguments: ["tag", "--format", "csv"] + calls, input: input)
        #expect(csv.status == 0)
        #expect(csv.outputLines[0].hasSuffix(",checksum_ok,problems,source,line,column,repairs"))
        let places = ["\(first),2,4,", "\(first),2,254,", "\"\(second)\",1,1,%3D (5)", ",,,", "-,3,2,"]
        for (index, place) in places.enumerated() {
            let line = csv.outputLines[index + 1]
            #expect(line.hasPrefix(owners[index] + ",") && line.hasSuffix(",," + place), "\(line)")
        }
        let json = try await Tool.run(arguments: ["tag", "--format", "jsonl"] + calls, input: input)
        let objects = try json.outputLines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(objects.map { $0["source"] as? String } == [first, first, second, nil, "-"])
        #expect(objects.map { $0["line"] as? Int } == [2, 2, 1, nil, 3])
        let text = try await Tool.run(arguments: ["tag"] + calls, input: input)
        #expect(
            text.outputLines.filter { $0.hasPrefix("source ") } == [
                "source     \(first):2:4", "source     \(first):2:254", "source     \(second):1:1",
                "source     standard input:3:2",
            ])
        #expect(text.outputLines.filter { $0.hasPrefix("repairs ") } == ["repairs    %3D (5)"])
        #expect(text.errors == "dtvr: \(second):1:1: repaired: %3D at 1:39 and 4 more\n")
    }

    @Test func mentionOfTheHost_isNoIdentifier() async throws {
        let owners = try await Self.owners()
        let text = "see www.nielsen.com/ privacy policy\n" + owners.joined(separator: "\n") + "\n"
        let result = try await Tool.run("check", "--owners", "-", input: Data(text.utf8))
        #expect(result.status == 0 && result.output.hasPrefix("PASS"), "\(result)")
    }

    @Test(arguments: [true, false]) func textInUTF16_isRead(isBigEndian: Bool) async throws {
        let owners = try await Self.owners()
        var text = Data(isBigEndian ? [0xFE, 0xFF] : [0xFF, 0xFE])
        for byte in "übung \(owners[1])\r\n".utf8 { text += isBigEndian ? [0, byte] : [byte, 0] }
        let tag = try await Tool.run("tag", "--format", "csv", input: text)
        #expect(tag.status == 0 && tag.outputLines.last?.hasPrefix(owners[1]) == true, "\(tag)")
    }

    @Test func compressedText_isNamed() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("a.log.zst", [0x28, 0xB5, 0x2F, 0xFD, 1, 2, 3])
        let tag = try await Tool.run("tag", file)
        #expect(tag.status == 3 && tag.errors.contains("compressed with zstd; decompress"), "\(tag)")
    }

    @Test func gzipText_isRead_fromAFileAndStandardInput_byBothCommands() async throws {
        let owners = try await Self.owners()
        let log = owners.map { "id \($0)\n" }.joined()
        let data = try Deflation.deflate(Array(log.utf8).span, .gzip)
        let folder = try TemporaryFolder()
        let file = try folder.write("a.log.gz", data)
        let plain = try await Tool.run("tag", "--format", "csv", input: Data(log.utf8))
        let inputs: [(String, Data)] = [("-", Data(data)), (file, Data())]
        for (operand, input) in inputs {
            let tag = try await Tool.run("tag", "--format", "csv", operand, input: input)
            #expect(tag.status == 0 && tag.errors.isEmpty, "\(tag)")
            #expect(tag.output.replacing(file, with: "-") == plain.output)
            let check = try await Tool.run("check", "--owners", operand, input: input)
            #expect(check.status == 0, "\(check)")
        }
        let part = try await Tool.run("tag", "--format", "csv", input: Data(data.dropLast(10)))
        #expect(part.outputLines.count > 5 && part.errors.contains("gzip data is truncated"), "\(part)")
        let damaged = try await Tool.run(
            "check", "--owners", "-", input: Data(data.prefix(20) + data.dropFirst(30)))
        #expect(damaged.status == 3 && damaged.errors.contains("truncated or damaged"), "\(damaged)")
    }

    @Test func identifiersOverSeveralLinesOfALog_areJoined_orTheCauseIsNamed() async throws {
        let owners = try await Self.owners()
        let prefix = { (time: Int) in "12-01 10:22:33.\(time)  1234  1234 D Nielsen: " }
        let start = { (index: Int) in "\(prefix(index))id \(owners[index].prefix(100))\n" }
        let end = { (index: Int) in "\(prefix(index + 1))\(owners[index].dropFirst(100))\n" }
        let other = "12-01 10:22:33.500  1234  1250 E Codec: queue full\n"
        let notes = try await Self.notes(on: start(1) + end(1) + start(2) + other + end(2))
        #expect(
            notes.tag == [
                "dtvr: standard input:1:44: repaired: line end at 1:144, line prefix at 2:1",
                """
                dtvr: standard input:3:44: broken at the end of the line, and other text follows; if a logger divides \
                long messages, join their lines
                """,
            ], "\(notes.tag)")
        #expect(notes.check == notes.tag)
        let many = try await Self.notes(on: (1...6).map { start($0) + other }.joined())
        #expect(
            many.tag == [
                """
                dtvr: standard input: 6 identifiers, in lines 1, 3, 5, 7 and 2 more, are broken at the end of the line, \
                and other text follows; if a logger divides long messages, join their lines
                """
            ], "\(many.tag)")
    }

    /// A path that contains the host of an identifier is a path if the file exists.
    @Test func fileInAFolderNamedAfterTheHost_isRead() async throws {
        let owners = try await Self.owners()
        let folder = try TemporaryFolder()
        let host = folder.path + "/www.nielsen.com"
        try FileManager.default.createDirectory(atPath: host, withIntermediateDirectories: false)
        let file = try folder.write("www.nielsen.com/player.log", owners[1].utf8)
        let tag = try await Tool.run("tag", "--format", "csv", file)
        #expect(tag.status == 0 && tag.outputLines.last?.hasPrefix(owners[1] + ",data,") == true, "\(tag)")
    }

    @Test func operand_thatIsNeitherIdentifierNorFile_isReported_andOthersAreRead() async throws {
        let owners = try await Self.owners()
        let folder = try TemporaryFolder()
        let file = try folder.write("a.log", owners[1].utf8)
        let tag = try await Tool.run("tag", "/no/such/none.log", folder.path, file)
        #expect(tag.status == 0 && tag.output.contains("\nkind       data\n"))
        let errors = tag.errors.split(separator: "\n")
        #expect(errors.count == 2 && errors.first?.hasSuffix("'/no/such/none.log'") == true, "\(errors)")
        #expect(errors.last == "dtvr: \(folder.path): is a directory")
        let none = try await Tool.run("tag", folder.path + "/none.log")
        #expect(none.status == 3)
    }

    /// As in JSON, URLs and HTML, and with the host in upper case: on standard input, in a log, and as an argument.
    @Test(arguments: [
        ("\\/", "="), ("\\u002F", "\\u003D"), ("%2F", "%3D"), ("%252F", "%253D"), ("&#x2F;", "&#x3D;"),
        ("&#47;", "&#61;"),
        ("/", "="),
    ])
    func escapedIdentifiers_areFound_andCompared(slash: String, equals: String) async throws {
        let owners = try await Self.owners()
        let escaped = owners.map { owner in
            ("WWW.NIELSEN.COM" + owner.dropFirst(15)).replacing("/", with: slash).replacing("=", with: equals)
        }
        let log = escaped.map { "{\"time\":1,\"id\":\"\($0)\"}\n" }.joined()
        let tag = try await Tool.run("tag", "--format", "jsonl", input: Data(log.utf8))
        #expect(tag.status == 0)
        let objects = try tag.outputLines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(objects.map { $0["owner"] as? String } == owners)
        let slashCount = slash == "/" ? 0 : 6
        let equalsCount = equals == "=" ? 0 : 5
        for (index, object) in objects.enumerated() {
            #expect(object["line"] as? Int == index + 1 && object["column"] as? Int == 17)
            let kinds = (object["repairs"] as? [[String: Any]] ?? []).map { $0["kind"] as? String }
            #expect(kinds.first == "upper-case host")
            #expect(kinds.count == 1 + slashCount + equalsCount)
        }
        let argument = try await Tool.run("tag", "--format", "csv", escaped[1])
        #expect(argument.status == 0 && argument.outputLines.last?.hasPrefix(owners[1] + ",") == true)
        #expect(argument.outputLines.last?.contains(",,1,1,upper-case host") == true)
        #expect(argument.errors.hasPrefix("dtvr: argument 1:1:1: repaired: upper-case host at 1:1"))
        let folder = try TemporaryFolder()
        let file = try folder.write("player.log", log.utf8)
        let check = try await CheckTests.json("--owners", file, Tool.demo + "/index.m3u8")
        #expect(check.status == 0, "\(check.verdict)")
        let stream = try #require((check.verdict["inputs"] as? [[String: Any]])?.last)
        #expect(CheckTests.statuses(stream)["rendition.tags-differ"] == "pass")
    }

    @Test func unreadableText_isReported_andEndsTheCheck() async throws {
        let folder = try TemporaryFolder()
        let check = try await Tool.run("check", "--owners", folder.path)
        #expect(check.status == 3)
        #expect(check.errors == "dtvr: \(folder.path): is a directory\n", "\(check.errors)")
        let missing = try await Tool.run("check", "--owners", folder.path + "/none")
        #expect(
            missing.status == 3 && missing.errors == "dtvr: \(folder.path)/none: no such file or directory\n")
    }
}
