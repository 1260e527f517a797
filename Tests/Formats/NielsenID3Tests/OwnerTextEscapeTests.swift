import TestSupport
import Testing

@testable import NielsenID3

/// Owner identifiers in the notation of JSON, URLs and HTML, and with the host in upper case.
@Suite struct OwnerTextEscapeTests {
    typealias Kind = OwnerTextFinding.Kind

    /// The slash and the equals sign in each notation; nil if the notation leaves the sign unchanged.
    private static let notations: [(slash: String, slashKind: Kind, equals: String?, equalsKind: Kind?)] = [
        ("\\/", .jsonSlash, nil, nil), ("\\/", .jsonSlash, "\\u003d", .jsonEscape),
        ("\\u002F", .unicodeSlash, "\\u003D", .jsonEscape), ("\\u002f", .unicodeSlash, nil, nil),
        ("%2F", .percentSlash, "%3D", .percentEscape), ("%2f", .percentSlash, "%3d", .percentEscape),
        ("%252F", .doublePercentSlash, "%253D", .doublePercentEscape),
        ("%252f", .doublePercentSlash, "%253d", .doublePercentEscape),
        ("&#x2F;", .htmlSlash, "&#x3D;", .htmlEscape), ("&#X2f;", .htmlSlash, nil, nil),
    ]

    private static let owner = Array(Samples.data2015.utf8)

    private static func findings(_ chunks: [[UInt8]]) -> [OwnerTextFinding] {
        var search = OwnerTextSearch()
        var findings: [OwnerTextFinding] = []
        for chunk in chunks { search.search(chunk.span) { findings.append($0) } }
        search.finish { findings.append($0) }
        return findings
    }

    private static func findings(_ text: String) -> [OwnerTextFinding] { findings([Array(text.utf8)]) }

    /// Returns a text in a notation, with the repairs that it needs; their columns count from 1.
    private static func written(
        _ owner: String, in notation: (slash: String, slashKind: Kind, equals: String?, equalsKind: Kind?)
    ) -> (text: String, repairs: [OwnerTextFinding.Repair]) {
        var text = ""
        var repairs: [OwnerTextFinding.Repair] = []
        for (index, character) in owner.enumerated() {
            let (escape, kind): (String?, Kind?) =
                switch character {
                case "/": (notation.slash, notation.slashKind)
                case "=": (notation.equals, notation.equalsKind)
                default: (nil, nil)
                }
            if let kind {
                let place = TextPlace(line: 1, column: text.utf8.count + 1)
                repairs.append(OwnerTextFinding.Repair(kind: kind, place: place, character: index))
            }
            text += escape ?? String(character)
        }
        return (text, repairs)
    }

    @Test func identifier_inEachNotation_isReadWithItsRepairs() throws {
        for notation in notations(all: true) {
            for owner in Samples.all {
                let (text, repairs) = Self.written(owner, in: notation)
                for after in ["", "\"", " ", "&c=1", "\\\""] {
                    let found = Self.findings(text + after)
                    try #require(found.count == 1, "\(text)")
                    #expect(found[0].tag == Samples.decode(owner: Array(owner.utf8)), "\(text)")
                    #expect(found[0].repairs == repairs, "\(text)")
                }
            }
        }
    }

    @Test func identifier_inEachNotation_isTheSameInChunks() {
        for notation in notations(all: false) {
            let text = Array(("w" + Self.written(Samples.data2015, in: notation).text + " w").utf8)
            let whole = Self.findings([text])
            #expect(whole.map(\.isBroken) == [false])
            for cut in 0...text.count {
                #expect(
                    Self.findings([Array(text[..<cut]), Array(text[cut...])]) == whole, "\(notation) \(cut)")
            }
        }
    }

    /// Truncated at every position, and followed by another identifier.
    @Test func truncatedIdentifier_inEachNotation_isBroken_andTheNextIsFound() throws {
        for notation in notations(all: false) {
            let text = Self.written(Samples.data2015, in: notation).text
            let end = Self.written("www.nielsen.com/", in: notation).text.utf8.count
            for length in stride(from: end, to: text.utf8.count, by: 3) {
                let cut = String(text.prefix(length))
                let found = Self.findings(cut + "\"\n" + text)
                try #require(found.count == 2, "\(cut)")
                #expect(found[0].isBroken && found[0].place == TextPlace(line: 1, column: 1))
                #expect(!found[1].isBroken && found[1].place == TextPlace(line: 2, column: 1))
                let joined = Self.findings(cut + text)
                #expect(joined.last?.tag.ownerIdentifier == Self.owner, "\(cut)")
            }
        }
    }

    /// An escape is decoded only where its character is expected.
    @Test func escape_atAnUnexpectedPosition_isADefect() throws {
        for notation in notations(all: false) {
            let place = 30
            let text = Self.owner[..<place] + Array(notation.slash.utf8) + Self.owner[place...]
            let finding = try #require(Self.findings([Array(text)]).first)
            #expect(finding.tag.formatDefect == FormatDefect(piece: .pcCID, character: place))
        }
    }

    // MARK: The host

    @Test func host_inUpperCase_isReadInLowerCase() throws {
        let path = Samples.data2015.dropFirst(15)
        for (host, column) in [
            ("WWW.NIELSEN.COM", 1), ("www.NIELSEN.com", 5), ("Www.Nielsen.com", 1), ("www.nielsen.coM", 15),
        ] {
            for (before, after) in [("", ""), ("owner=", " ok"), ("W", "W"), ("HTTPS://", "\n")] {
                let found = Self.findings(before + host + path + after)
                try #require(found.count == 1, "\(before)\(host)")
                #expect(found[0].tag.ownerIdentifier == Self.owner && !found[0].isBroken)
                let place = TextPlace(line: 1, column: before.utf8.count + column)
                let repair = OwnerTextFinding.Repair(
                    kind: .upperCaseHost, place: place, character: column - 1)
                #expect(found[0].repairs == [repair])
            }
        }
        #expect(Self.findings("WWW.NIELSEN.COM/abc").map(\.isBroken) == [true])
    }

    // MARK: Web pages

    private static let schemes = [
        "https://", "HTTP://", "https:\\/\\/", "http:\\u002f\\u002F", "https%3A%2F%2F", "https%3a%2f%2f",
        "https%253A%252F%252F", "https:&#x2F;&#x2F;", "https&#x3A;&#x2F;&#x2F;",
    ]

    @Test func webPageAddress_inEachNotation_isNotATag() {
        for scheme in Self.schemes {
            for notation in notations(all: false) {
                for host in ["www.nielsen.com", "WWW.NIELSEN.COM"] {
                    let page = "\(host)/us/en/about".replacing("/", with: notation.slash)
                    for after in ["\"", " ", "\n", ""] {
                        #expect(Self.findings("see " + scheme + page + after).isEmpty, "\(scheme)\(page)")
                    }
                    // Without a scheme, it may be the rest of an identifier.
                    #expect(Self.findings("see " + page).count == 1, "\(page)")
                }
            }
        }
    }

    @Test func identifier_afterAScheme_isFoundInEachNotation() {
        for scheme in Self.schemes {
            for notation in notations(all: false) {
                let text = Self.written(Samples.data2015, in: notation).text
                #expect(Self.findings(scheme + text).map(\.tag.ownerIdentifier) == [Self.owner])
                let cut = String(text.prefix(text.utf8.count / 2))
                #expect(Self.findings(scheme + cut + " ").map(\.isBroken) == [true], "\(scheme)\(cut)")
            }
        }
    }

    private func notations(
        all: Bool
    ) -> [(slash: String, slashKind: Kind, equals: String?, equalsKind: Kind?)] {
        all ? Self.notations : [0, 2, 4, 6, 8].map { Self.notations[$0] }
    }
}
