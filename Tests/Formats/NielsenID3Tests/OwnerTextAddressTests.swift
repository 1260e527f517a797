import TestSupport
import Testing

@testable import NielsenID3

/// Addresses of web pages in a text, and damaged identifiers after the scheme of an address.
@Suite struct OwnerTextAddressTests {
    private static let schemes = ["https://", "http://", "HTTPS://", "Http://"]

    private static func findings(_ chunks: [UInt8]...) -> [OwnerTextFinding] {
        var search = OwnerTextSearch()
        var findings: [OwnerTextFinding] = []
        for chunk in chunks { search.search(chunk.span) { findings.append($0) } }
        search.finish { findings.append($0) }
        return findings
    }

    private static func findings(_ text: String) -> [OwnerTextFinding] { findings(Array(text.utf8)) }

    private static let pages = [
        "us/en/about", "us/en/", "us/", "insights/2023/the-gauge-shows-streaming-takes-a-bigger-share-of-tv/",
        "legal/privacy-principles/digital-measurement-privacy-statement/#choices", "about_us/?utm_source=log",
        "data-center/top-ten/a.html", "solutions/x/%3Fq", "01234/", "a/1", "a/123", "a/1234", "a/123456",
    ]

    @Test(arguments: schemes) func webPageAddress_isNotATag(scheme: String) {
        let page = scheme + "www.nielsen.com/"
        // Except the piece of five digits, which may be an offset.
        for path in Self.pages where path != "01234/" {
            for after in ["", "\n", " and more", "\"", "> <b>", ")", "\u{0}", "…"] {
                #expect(Self.findings("see " + page + path + after).isEmpty, "\(path)\(after)")
                #expect(Self.findings(page + path + after).isEmpty, "\(path)\(after)")
            }
        }
        #expect(Self.findings(page + "01234/").count == 1)
        #expect(Self.findings(page + "us/en\\u003d").count == 1)
    }

    /// The page for opting out (guide 002, 7.1).
    @Test func optOutPage_withAndWithoutAScheme_isNotATag() {
        for before in ["", "see ", "http://", "https://", "\"", "optOutURL="] {
            for after in ["", " ", ".", "\"", "?a=1", "#x", "\n", ")"] {
                let text = before + "www.nielsen.com/digitalprivacy" + after
                #expect(Self.findings(text).isEmpty, "\(text)")
            }
            #expect(Self.findings(before + "www.nielsen.com/digitalprivacy" + "A0").count == 1)
        }
    }

    /// Without a scheme, it may be the rest of an identifier.
    @Test func webPageAddress_withoutAnHTTPScheme_isReported() {
        for before in [
            "", " ", "//", "://", "ttps://", "ftp://", "https:/", "https:// ", "https://x", "owner=", "\"",
        ] {
            for path in Self.pages {
                let found = Self.findings(before + "www.nielsen.com/" + path)
                #expect(found.count == 1 && found[0].isBroken, "\(before)\(path)")
            }
        }
    }

    @Test func webPageAddress_inChunks_isNotATag() {
        let text = Array("see https://www.nielsen.com/us/en/about and http://www.nielsen.com/a/b".utf8)
        for first in 0...text.count {
            for second in first...text.count {
                let found = Self.findings(
                    Array(text[..<first]), Array(text[first..<second]), Array(text[second...]))
                #expect(found.isEmpty, "\(first) \(second)")
            }
        }
        var search = OwnerTextSearch()
        for byte in text { search.search([byte].span) { _ in Issue.record("found at \(byte)") } }
        search.finish { _ in Issue.record("found at the end") }
    }

    @Test func identifier_inOrAfterAWebPageAddress_isFound() throws {
        for between in ["", "?", " ", "\n", "/"] {
            let found = Self.findings("https://www.nielsen.com/us/en/\(between)\(Samples.data2015) end")
            #expect(found.map(\.tag.ownerIdentifier) == [Array(Samples.data2015.utf8)], "\(between)")
        }
    }

    // MARK: One damage

    /// Expects that a damaged identifier after a scheme is found, either repaired or as a broken one.
    private static func expectFinding(
        _ owner: some Sequence<UInt8>, _ what: @autoclosure () -> String,
        at location: SourceLocation = #_sourceLocation
    ) {
        guard findings(Array("https://".utf8) + owner + [0x20]).isEmpty else { return }
        Issue.record("nothing is found: \(what())", sourceLocation: location)
    }

    /// The positions from the end of the domain to the first one after the PC CID; after those, the first piece is
    /// complete.
    private static let places = 16..<42

    /// Every ASCII byte, and one of each kind beyond ASCII.
    private static let values = [UInt8](0...0x80) + [0xC3, 0xFF]

    @Test(arguments: Samples.all) func identifier_truncatedAtAnyPosition_isReported(owner: String) {
        for end in 16...249 {
            Self.expectFinding(owner.utf8.prefix(end), "cut at \(end)")
            let plain = Self.findings(Array(owner.utf8.prefix(end)) + [0x20])
            #expect(plain.count == 1 && plain[0].isBroken == (end < 249))
        }
    }

    @Test(arguments: Samples.all) func identifier_withAnyRangeRemoved_isReported(owner: String) {
        for start in Self.places {
            for end in start + 1...249 {
                let short = Array(owner.utf8.prefix(start)) + owner.utf8.dropFirst(end)
                Self.expectFinding(short, "without \(start)..<\(end)")
            }
        }
    }

    @Test(arguments: Samples.all) func identifier_withAByteReplacedOrInserted_isReported(owner: String) {
        for place in Self.places {
            for value in Self.values {
                let front = Array(owner.utf8.prefix(place)) + [value]
                Self.expectFinding(front + owner.utf8.dropFirst(place + 1), "\(value) at \(place)")
                Self.expectFinding(front + owner.utf8.dropFirst(place), "\(value) before \(place)")
            }
        }
    }

    /// The base64 alphabet that includes a slash, which can then occur inside pieces.
    @Test func identifier_withSlashesInItsPieces_isReported() {
        for owner in Samples.all {
            Self.expectFinding(owner.replacing("_", with: "/").utf8, "slashes")
            for equals in ["=", "%3D", "%3d", "\\u003d", "\\u003D"] {
                let escaped = Array(owner.replacing("=", with: equals).utf8)
                for place in 17..<38 {
                    let split = escaped.prefix(place) + [0x2F] + escaped.dropFirst(place + 1)
                    Self.expectFinding(split, "\(equals), slash at \(place)")
                }
            }
        }
    }

    // MARK: A damage, and cut besides

    /// A slash in the PC CID, truncated after the equals signs; with the slash at the first position, truncated
    /// anywhere.
    @Test func identifier_withASlashInItsFirstPiece_andTruncated_isReported() {
        let owner = Array(Samples.data2015.utf8)
        for place in 16..<38 {
            let split = owner[..<place] + [0x2F] + owner[(place + 1)...]
            for end in (place == 16 ? 17 : 39)...249 {
                Self.expectFinding(split[..<end], "slash at \(place), cut at \(end)")
            }
        }
    }

    @Test func identifier_withoutEqualsSigns_andTruncated_isReported() {
        let bare = Array(Samples.data2015.replacing("=", with: "").utf8)
        for end in 16...bare.count { Self.expectFinding(bare[..<end], "cut at \(end)") }
    }

    /// The middle is missing, and the breakout or all offsets but one.
    @Test func identifier_withItsMiddleMissing_isReported() {
        let owner = Array(Samples.data2015.utf8)
        for place in Self.places {
            for (start, end) in [(234, 240), (234, 241), (234, 246), (234, 247), (240, 246), (240, 247)] {
                Self.expectFinding(owner[..<place] + owner[start..<end], "\(place), \(start)..<\(end)")
            }
        }
    }
}
