import TestSupport
import Testing

@testable import NielsenID3

/// Owner identifiers that a logger divides over several lines, each with its prefix.
@Suite struct OwnerTextPrefixTests {
    private static let owner = Samples.data2015

    private static func findings(_ text: String, size: Int = .max) -> [OwnerTextFinding] {
        var search = OwnerTextSearch()
        var findings: [OwnerTextFinding] = []
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + min(size, bytes.count))
            search.search(bytes[start..<end].span) { findings.append($0) }
            start = end
        }
        search.finish { findings.append($0) }
        return findings
    }

    /// Returns the identifier in lines with these prefixes, divided before these characters.
    private static func lines(_ prefixes: [String], before places: [Int], end: String = "\n") -> String {
        let starts = [0] + places
        let ends = places + [owner.count]
        return zip(prefixes, zip(starts, ends)).map { prefix, range in
            prefix + owner.dropFirst(range.0).prefix(range.1 - range.0)
        }.joined(separator: end)
    }

    /// Prefixes of loggers: three consecutive lines.
    private static let prefixes = [
        [
            "12-01 10:22:33.123  1234  1234 D Nielsen: ", "12-01 10:22:33.124  1234  1234 D Nielsen: ",
            "12-01 10:22:34.000  1234  1234 D Nielsen: ",
        ],
        ["D/Nielsen ( 1234): id ", "D/Nielsen ( 1234): ", "D/Nielsen ( 1234): "],
        [
            "2026-12-01T10:22:33Z [DEBUG] [tag]", "2026-12-01T10:22:33Z [DEBUG] [tag]",
            "2026-12-01T10:22:34Z [DEBUG] [tag]",
        ],
        [
            "\tDec  9 23:59:59 host app[7]: ", "\tDec 10 00:00:00 host app[7]: ",
            "Dec 10 00:00:00 host app[7]: ",
        ],
        ["9 ", "10 ", "11 "], ["player: ", "player: ", "player: "],
    ]

    @Test(arguments: prefixes) func identifier_inLinesWithOnePrefix_isJoined(prefixes: [String]) throws {
        for places in [[1, 2], [3, 120], [15, 16], [38, 39], [100, 200], [233, 248]] {
            for end in ["\n", "\r\n"] {
                let text =
                    "start\n" + Self.lines(prefixes, before: places, end: end) + end + prefixes[0] + "next"
                let findings = Self.findings(text)
                try #require(findings.count == 1, "\(places) \(text)")
                #expect(findings[0].tag.ownerIdentifier == Array(Self.owner.utf8), "\(places) \(text)")
                #expect(findings[0].repairs.map(\.kind) == [.lineEnd, .linePrefix, .lineEnd, .linePrefix])
                #expect(findings[0].repairs.map(\.character) == [places[0], places[0], places[1], places[1]])
                #expect(!findings[0].isBrokenByLineEnd)
                for size in [1, 5, 64] { #expect(Self.findings(text, size: size) == findings, "\(size)") }
            }
        }
    }

    @Test func prefix_longerThanTheLimit_isComparedUpToIt() {
        let long = String(repeating: "name ", count: 60)
        let prefixes = [long, String(long.prefix(200))]
        let findings = Self.findings(Self.lines(prefixes, before: [100]))
        #expect(findings.map(\.tag.ownerIdentifier) == [Array(Self.owner.utf8)])
        // The message before the identifier is longer than what the search keeps of a text.
        let far = ["1: " + String(repeating: ".", count: 100_000), "2: "]
        for size in [1_000, 70_000, .max] {
            let found = Self.findings(Self.lines(far, before: [100]), size: size)
            #expect(found.map(\.tag.ownerIdentifier) == [Array(Self.owner.utf8)], "\(size)")
        }
    }

    /// The next line is that of another logger, or the message of another identifier.
    @Test func identifier_whoseRestIsNotInTheNextLine_isBroken() {
        let prefix = "12-01 10:22:33.123  1234  1234 D Nielsen: "
        let other = "12-01 10:22:33.123  1234  1250 E Codec: queue full"
        let start = prefix + Self.owner.prefix(100)
        for size in [1, 50, .max] {
            let found = Self.findings(
                "\(start)\n\(other)\n\(prefix)\(Self.owner.dropFirst(100))\n", size: size)
            #expect(found.map(\.isBroken) == [true] && found.map(\.isBrokenByLineEnd) == [true], "\(size)")
            #expect(found.map(\.tag.ownerIdentifier) == [Array(Self.owner.utf8.prefix(100))])
            #expect(found.map(\.repairs) == [[]])
            let next = Self.findings("\(start)\n\(prefix)\(Self.owner)\n", size: size)
            #expect(next.map(\.isBroken) == [true, false])
            #expect(next.map(\.isBrokenByLineEnd) == [false, false], "\(size)")
            let last = Self.findings("\(start)\n", size: size)
            #expect(last.map(\.isBroken) == [true] && last.map(\.isBrokenByLineEnd) == [false])
        }
    }
}
