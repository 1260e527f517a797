import TestSupport
import Testing

@testable import NielsenID3

/// Owner identifiers in a text that cannot be repaired, and texts that are meant to do harm.
@Suite struct OwnerTextDamageTests {
    private static let owner = Array(Samples.data2015.utf8)

    private static func findings(_ text: [UInt8]) -> [OwnerTextFinding] {
        var search = OwnerTextSearch()
        var findings: [OwnerTextFinding] = []
        search.search(text.span) { findings.append($0) }
        search.finish { findings.append($0) }
        return findings
    }

    /// Every byte value at every position: the defect is the same as that of the identifier alone.
    @Test func identifier_withAnyByteReplaced_isRepairedOrReported() throws {
        for place in 0..<249 {
            // Every ASCII byte, and one of each kind beyond ASCII.
            for value in [UInt8](0...0x80) + [0xC3, 0xFF] where value != Self.owner[place] {
                var owner = Self.owner
                owner[place] = value
                let findings = Self.findings(owner + [0x20])
                // A host in upper case is repaired; with any other byte it is a different host.
                let isUpperCase = value == Self.owner[place] ^ 0x20 && (0x41...0x5A).contains(value)
                guard place >= 16 else {
                    let isRepaired = findings.map(\.tag.ownerIdentifier) == [Self.owner]
                    #expect(isUpperCase ? isRepaired : findings.isEmpty, "\(place) \(value)")
                    continue
                }
                try #require(findings.count == 1, "\(place) \(value)")
                let finding = findings[0]
                let alone = try #require(Samples.decode(owner: owner))
                if alone.formatDefect == nil {
                    #expect(finding.tag == alone, "\(place) \(value)")
                } else {
                    #expect(finding.isBroken)
                    // A blank that replaces a character is removed, and the defect is after it.
                    let isBlank = value == 0x20 || (9...13).contains(value)
                    if !isBlank {
                        #expect(finding.tag.formatDefect == alone.formatDefect, "\(place) \(value)")
                    }
                }
                #expect(finding.place == TextPlace(line: 1, column: 1))
            }
        }
    }

    /// Truncated at every position and followed by the text of a log: the defect is at the end, and the next identifier
    /// is found.
    @Test func truncatedIdentifier_hasADefectAtItsEnd_andTheNextIsFound() throws {
        let following = [
            "", "\"", "\"}\n", " status=200 and more text of the line", "\n2026-11-20 12:00:00 INFO w", "\t|",
            ", next", "<br>", ": the end", "…", "\n\n\n",
        ]
        for place in 16..<249 {
            for text in following {
                let cut = Self.owner[..<place] + Array(text.utf8)
                let findings = Self.findings(Array(cut) + [0x0A] + Self.owner)
                try #require(findings.count == 2, "\(place) \(text)")
                #expect(findings[0].tag.ownerIdentifier == Array(Self.owner[..<place]), "\(place) \(text)")
                #expect(findings[0].tag.formatDefect?.character == place, "\(place) \(text)")
                #expect(findings[0].repairs.isEmpty)
                #expect(findings[1].tag.ownerIdentifier == Self.owner)
            }
            let joined = Self.findings(Array(Self.owner[..<place]) + Self.owner)
            try #require(joined.count == 2, "\(place)")
            #expect(joined[0].tag.ownerIdentifier == Array(Self.owner[..<place]), "\(place)")
            #expect(joined[1].tag.ownerIdentifier == Self.owner, "\(place)")
        }
    }

    /// Only the listed texts are removed: other text inside is a defect.
    @Test func unknownTextInside_isNotRemoved() {
        for text in [
            "\\n", "\\u003f", "\\u0020", "%20", "%2F", "%3", ":", "::", "\\", "\u{A0}", ".", "\u{0}", "&#62;",
            "\\/", "\\u002F", "%252F", "&#x2F;",
        ] {
            // Before a slash, an escaped slash is read as that slash, and the slash after it is superfluous.
            let isSlash = ["\\", "%2F", "\\/", "\\u002F", "%252F", "&#x2F;"].contains(text)
            for place in 17..<248 where !isSlash || Self.owner[place] != 0x2F {
                let findings = Self.findings(
                    Array(Self.owner[..<place] + Array(text.utf8) + Self.owner[place...]))
                #expect(findings.count == 1 && findings[0].isBroken, "\(text) at \(place)")
                #expect(findings.first?.tag.formatDefect?.character == place, "\(text) at \(place)")
            }
        }
    }

    /// A repair before the defect is kept if a fixed character after it proves the repair.
    @Test func repairBeforeADefect_isKeptOnlyIfProven() throws {
        var owner = Self.owner
        owner[100] = 0x2A
        // Character 40 is a slash; the blob has none.
        let proven = Array(owner[..<30] + [0x0A] + owner[30...])
        let kept = try #require(Self.findings(proven).first)
        #expect(kept.tag.ownerIdentifier == owner)
        #expect(kept.tag.formatDefect == FormatDefect(piece: .blob, character: 100))
        #expect(kept.repairs.map(\.character) == [30])
        let unproven = Array(owner[..<80] + [0x0A] + owner[80...])
        let cut = try #require(Self.findings(unproven).first)
        #expect(cut.tag.ownerIdentifier == Array(owner[..<80]))
        #expect(cut.repairs.isEmpty)
    }

    @Test func breakout_withAnExtraDigit_isBroken() throws {
        let finding = try #require(Self.findings(Self.owner + Array("5 x".utf8)).first)
        #expect(finding.tag.formatDefect == FormatDefect(piece: .end, character: 249))
        #expect(finding.tag.ownerIdentifier.count == 250)
        #expect(!Self.findings(Self.owner + Array("x5".utf8))[0].isBroken)
    }

    /// More blanks inside than an identifier may have: it is broken, and only a few of the blanks are kept.
    @Test func endlessBlanks_useLimitedMemory() {
        for blank in [" ", "\n", ": ", "%3D", "\\u003d", "w ", "w\n "] {
            var search = OwnerTextSearch()
            var findings: [OwnerTextFinding] = []
            let start = Array("www.nielsen.com/abc".utf8)
            search.search(start.span) { findings.append($0) }
            let chunk = [UInt8]((0..<1000).flatMap { _ in Array(blank.utf8) })
            for _ in 0..<60 {
                search.search(chunk.span) { findings.append($0) }
                #expect(search.rest.count <= 2 * OwnerTextSearch.maximumByteCount)
            }
            search.search(Self.owner.span) { findings.append($0) }
            search.finish { findings.append($0) }
            #expect(findings.count == 2, "\(blank.debugDescription)")
            #expect(findings.first?.isBroken == true)
            #expect(findings.last?.tag.ownerIdentifier == Self.owner)
        }
    }

    /// Many starts of identifiers without an end.
    @Test func repeatedStarts_areEachReportedOnce() {
        let start = Array("www.nielsen.com/".utf8)
        let many = [UInt8]((0..<2000).flatMap { _ in start })
        let findings = Self.findings(many)
        #expect(findings.count == 2000)
        #expect(findings.allSatisfy { $0.tag.ownerIdentifier == start })
        let spaced = Self.findings([UInt8]((0..<2000).flatMap { _ in Array("w w w.nielsen.com/ ".utf8) }))
        #expect(spaced.count == 2000)
        #expect(Self.findings([UInt8](repeating: 0x77, count: 100_000)).isEmpty)
    }

    @Test func text_withoutIdentifiers_yieldsNoFindings() {
        for text in [
            "", "w", "ww", "www", "www.nielsen.com", "www.nielsen.org/", "WWW.NIELSEN.ORG/abc", "\n\n",
        ] {
            #expect(Self.findings(Array(text.utf8)).isEmpty, "\(text)")
        }
    }

    @Test func finish_calledTwice_yieldsNoMoreFindings() {
        var search = OwnerTextSearch()
        var count = 0
        search.search(Self.owner.span) { _ in count += 1 }
        #expect(count == 0)
        search.finish { _ in count += 1 }
        search.finish { _ in count += 1 }
        #expect(count == 1)
    }
}
