import Foundation
import TestSupport
import Testing

/// The text that `dtvr tag` and `dtvr check --owners` read, and what they say of repairs in it.
@Suite(.timeLimit(.minutes(30))) struct OwnerTextInputTests {
    /// The owner identifiers of the demonstration stream.
    private static func owners() async throws -> [String] {
        let scan = try await Tool.run("scan", "--format", "jsonl", Tool.demo + "/index.m3u8")
        return try scan.outputLines.map { line in
            let start = try #require(line.range(of: "www.nielsen.com/")).lowerBound
            return String(line[start...].prefix(249))
        }
    }

    /// An identifier with text behind one of its characters.
    private static func identifier(_ owner: String, with text: String, behind count: Int) -> String {
        owner.prefix(count) + text + owner.dropFirst(count)
    }

    /// What both commands tell on standard error.
    private static func notes(on text: String) async throws -> (tag: [Substring], check: [Substring]) {
        let tag = try await Tool.run("tag", input: Data(text.utf8))
        let check = try await Tool.run("check", "--owners", "-", input: Data(text.utf8))
        return (tag.errors.split(separator: "\n"), check.errors.split(separator: "\n"))
    }

    @Test func repairedIdentifiers_areToldInTheSameWords_byBothCommands() async throws {
        let owners = try await Self.owners()
        let wrapped = Self.identifier(owners[1], with: "\n    ", behind: 100)
        let escaped = owners[2].replacing("=", with: "%3D")
        let broken = Self.identifier(owners[3], with: "  ", behind: 100).dropLast(3)
        let notes = try await Self.notes(on: "id \(wrapped)\n\(escaped)\n\(broken)\n\(owners[4])\n")
        #expect(
            notes.tag == [
                "dtvr: standard input:1:4: repaired: line end at 1:104",
                "dtvr: standard input:3:1: repaired: %3D at 3:39, %3D at 3:42, %3D at 3:68, %3D at 3:71 and 1 more",
                "dtvr: standard input:4:1: repaired: blanks at 4:101; it is still broken",
            ])
        #expect(notes.check == notes.tag)
    }

    @Test func manyRepairedIdentifiers_areAllToldByTag_andCountedByCheck() async throws {
        let wrapped = try await Self.owners().map { Self.identifier($0, with: "\n", behind: 20) }
        #expect(wrapped.count == 13)
        for count in 7...10 {
            let notes = try await Self.notes(on: wrapped.prefix(count).joined(separator: "\n"))
            #expect(notes.tag.count == count && notes.tag.allSatisfy { $0.contains(": repaired: ") })
            #expect(notes.check.prefix(8) == notes.tag.prefix(8))
            let rest = count > 8 ? ["dtvr: standard input: \(count - 8) more identifiers were repaired"] : []
            #expect(notes.check.dropFirst(8).map(String.init) == rest)
        }
    }

    /// As JSON, URLs and HTML write it, and with the host in upper case: on standard input, in a log, as an argument.
    @Test(arguments: [
        ("\\/", "="), ("\\u002F", "\\u003D"), ("%2F", "%3D"), ("%252F", "%253D"), ("&#x2F;", "&#x3D;"),
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
        for (index, object) in objects.enumerated() {
            #expect(object["line"] as? Int == index + 1 && object["column"] as? Int == 17)
            let kinds = (object["repairs"] as? [[String: Any]] ?? []).map { $0["kind"] as? String }
            #expect(kinds.first == "upper-case host")
            #expect(kinds.count == 1 + (slash == "/" ? 0 : 6) + (equals == "=" ? 0 : 5))
        }
        let argument = try await Tool.run("tag", "--format", "csv", escaped[1])
        #expect(argument.status == 0 && argument.outputLines.last?.hasPrefix(owners[1] + ",") == true)
        #expect(argument.errors.hasPrefix("dtvr: argument 1:1:1: repaired: upper-case host at 1:1"))
        let folder = try TemporaryFolder()
        let file = try folder.write("player.log", log.utf8)
        let check = try await CheckTests.json("--owners", file, Tool.demo + "/index.m3u8")
        #expect(check.status == 0, "\(check.verdict)")
        let stream = try #require((check.verdict["inputs"] as? [[String: Any]])?.last)
        #expect(CheckTests.statuses(stream)["rendition.tags-differ"] == "pass")
    }

    @Test func textThatCannotBeRead_isSaid_andEndsTheCheck() async throws {
        let folder = try TemporaryFolder()
        let check = try await Tool.run("check", "--owners", folder.path)
        #expect(check.status == 3)
        #expect(check.errors == "dtvr: \(folder.path): is a directory\n", "\(check.errors)")
        let missing = try await Tool.run("check", "--owners", folder.path + "/none")
        #expect(
            missing.status == 3 && missing.errors == "dtvr: \(folder.path)/none: no such file or directory\n")
    }
}
