import TestSupport
import Testing

@testable import NielsenID3

/// Owner identifiers in any text: found, located and repaired.
@Suite struct OwnerTextSearchTests {
    /// Returns all findings in a text that arrives in these chunks.
    private static func findings(_ chunks: [[UInt8]]) -> [OwnerTextFinding] {
        var search = OwnerTextSearch()
        var findings: [OwnerTextFinding] = []
        for chunk in chunks { search.search(chunk.span) { findings.append($0) } }
        search.finish { findings.append($0) }
        return findings
    }

    private static func findings(_ text: String) -> [OwnerTextFinding] { findings([Array(text.utf8)]) }

    /// The texts that may occur inside an identifier, and the kind that each is reported as.
    private static let inside: [(text: String, kind: OwnerTextFinding.Kind)] = [
        (" ", .blanks), ("\t", .blanks), ("   ", .blanks), ("\n", .lineEnd), ("\r\n", .lineEnd),
        ("\r", .lineEnd),
        ("\n    ", .lineEnd), (" \n", .lineEnd), ("\u{0C}", .lineEnd), ("\\u003d", .jsonEscape),
        ("\\u003D", .jsonEscape), ("%3D", .percentEscape), ("%3d", .percentEscape), (": ", .colon),
    ]

    private static let owner = Array(Samples.data2015.utf8)

    /// Returns the position of a byte in a text, counted line by line.
    private static func place(of offset: Int, in text: [UInt8]) -> TextPlace {
        let lines = text[..<offset].split(separator: 0x0A, omittingEmptySubsequences: false)
        return TextPlace(line: lines.count, column: (lines.last?.count ?? 0) + 1)
    }

    @Test(arguments: Samples.all)
    func identifier_surroundedByAnyText_isFoundUnchanged(owner: String) throws {
        let expected = try #require(Samples.decode(owner: Array(owner.utf8)))
        let around = [
            ("", ""), ("", "\n"), ("owner=", " ok"), ("\"", "\","), ("{\"id\":\"", "\"}\n"),
            ("now we saw w", "w"),
            ("http://host/ping?id=", "&c=1"), ("w", "www"), ("www.", ".com/"), ("www.nielsen", "/"),
            ("é", "é"),
            ("\u{0}", "\u{0}"),
        ]
        for (before, after) in around {
            let finding = try #require(Self.findings(before + owner + after).first, "\(before)")
            #expect(finding.tag == expected)
            #expect(finding.place == TextPlace(line: 1, column: before.utf8.count + 1))
            #expect(finding.repairs.isEmpty && !finding.isBroken)
            #expect(Self.findings(before + owner + after).count == 1)
        }
    }

    /// Returns the identifier with texts inside, each before the byte at a place, in ascending order.
    private static func owner(with inside: [(text: String, place: Int)]) -> [UInt8] {
        var bytes: [UInt8] = []
        var start = 0
        for (text, place) in inside {
            bytes += owner[start..<place]
            bytes += text.utf8
            start = place
        }
        return bytes + owner[start...]
    }

    /// Every text that may occur inside, at every position of an identifier.
    @Test func repairableText_atAnyPosition_isRepairedAndReported() throws {
        let before = Array("line one\nowner=".utf8)
        for (inside, kind) in Self.inside {
            for place in 1..<249 {
                let text = before + Self.owner(with: [(inside, place)]) + Array(" end".utf8)
                let findings = Self.findings([text])
                try #require(findings.count == 1, "\(inside.debugDescription) at \(place)")
                let finding = findings[0]
                #expect(finding.tag.ownerIdentifier == Self.owner, "\(inside.debugDescription) at \(place)")
                #expect(finding.tag.formatDefect == nil)
                #expect(finding.place == TextPlace(line: 2, column: 7))
                let repair = OwnerTextFinding.Repair(
                    kind: kind, place: Self.place(of: before.count + place, in: text), character: place)
                #expect(finding.repairs == [repair], "\(inside.debugDescription) at \(place)")
                let isBlank = kind == .blanks || kind == .lineEnd
                #expect(finding.tag.removedBlankCount == (isBlank ? inside.utf8.count : 0))
            }
        }
    }

    /// Two texts inside, adjacent and apart.
    @Test func twoRepairableTexts_areRepairedAndReported() throws {
        for (first, _) in Self.inside {
            for (second, _) in Self.inside {
                for places in [(20, 20), (20, 100), (38, 39), (39, 39), (233, 235), (247, 248)] {
                    let text = Self.owner(with: [(first, places.0), (second, places.1)])
                    let findings = Self.findings([text])
                    #expect(
                        findings.map(\.tag.ownerIdentifier) == [Self.owner], "\(first) \(second) \(places)")
                    #expect(findings.first?.repairs.isEmpty == false)
                }
            }
        }
    }

    /// Every subset of the five equals signs, written as either escape.
    @Test func equalsSigns_writtenAsEscapes_areRead() throws {
        let signs = Self.owner.indices.filter { Self.owner[$0] == 0x3D }
        try #require(signs == [38, 39, 63, 64, 233])
        for (escape, kind) in [("\\u003d", OwnerTextFinding.Kind.jsonEscape), ("%3D", .percentEscape)] {
            for choice in 0..<32 {
                let chosen = signs.enumerated().filter { choice >> $0.offset & 1 == 1 }.map(\.element)
                let text = Self.owner.indices.flatMap {
                    chosen.contains($0) ? Array(escape.utf8) : [Self.owner[$0]]
                }
                let findings = Self.findings([text + [0x0A]])
                #expect(findings.map(\.tag.ownerIdentifier) == [Self.owner], "\(choice)")
                #expect(findings.first?.repairs.map(\.kind) == chosen.map { _ in kind })
            }
        }
    }

    /// Every text inside, in two chunks that meet at every position.
    @Test func text_splitAtAnyChunkBoundary_yieldsTheSameFindings() {
        for (index, (inside, _)) in Self.inside.enumerated() {
            let place = 5 + 17 * index
            let end = Array("/ www.nielsen.com/us/en w".utf8)
            let text = Array("w\n".utf8) + Self.owner(with: [(inside, place)]) + end
            let whole = Self.findings([text])
            #expect(whole.map(\.isBroken) == [false, true])
            for cut in 0...text.count {
                let parts = [Array(text[..<cut]), Array(text[cut...])]
                #expect(Self.findings(parts) == whole, "\(inside.debugDescription) \(cut)")
            }
        }
    }

    /// Several identifiers, some of them damaged, in chunks of each size.
    @Test func text_inChunksOfAnySize_yieldsTheSameFindings() {
        var text = Array("2026-11-20 wait for it\nfirst=".utf8)
        for (index, (inside, _)) in Self.inside.enumerated() {
            let place = 5 + 17 * index
            text += Self.owner[..<place] + Array(inside.utf8) + Self.owner[place...]
            text += Array([" then ", "\n", "", "\", w", "www.nielsen.com/us/en "][index % 5].utf8)
        }
        text += Self.owner[..<70] + Array("\nwww w ww: w\n".utf8) + Self.owner + Self.owner + Array("w".utf8)
        let whole = Self.findings([text])
        #expect(whole.count == 19)
        #expect(whole.count { $0.isBroken } == 3)
        for size in [1, 2, 3, 7, 16, 33, 64, 250, 1000] {
            let chunks = stride(from: 0, to: text.count, by: size).map {
                Array(text[$0..<min($0 + size, text.count)])
            }
            #expect(Self.findings(chunks) == whole, "\(size)")
            #expect(Self.findings(chunks.flatMap { [$0, []] }) == whole, "\(size)")
        }
    }

    /// An identifier in a long text, at each offset around the boundaries of a vector.
    @Test func identifier_atAnyOffset_isFoundAtItsPosition() {
        for offset in 0..<200 {
            for filler in [UInt8(0x2E), 0x77, 0x20] {
                let text = [UInt8](repeating: filler, count: offset) + [0x0A] + Self.owner + [0x0A]
                let findings = Self.findings([text + text])
                #expect(
                    findings.map(\.place) == [TextPlace(line: 2, column: 1), TextPlace(line: 4, column: 1)])
            }
        }
    }

    @Test func lines_inALongText_areCounted() {
        let line = Array("a line of a log that says nothing at all, and then ends here\n".utf8)
        let filler = [UInt8]((0..<5000).flatMap { _ in line })
        for size in [1 << 10, 1 << 16, 1 << 20] {
            let text = filler + Array("\n\n  ".utf8) + Self.owner
            let chunks = stride(from: 0, to: text.count, by: size).map {
                Array(text[$0..<min($0 + size, text.count)])
            }
            #expect(Self.findings(chunks).map(\.place) == [TextPlace(line: 5003, column: 3)])
        }
    }
}
