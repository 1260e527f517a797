import ID3v2
import Testing

@Suite struct TagSearchTests {
    private static func findings(_ bytes: [UInt8], from start: Int = 0) -> [ID3TagSearch.Match] {
        var search = ID3TagSearch(bytes.span, from: start)
        var list: [ID3TagSearch.Match] = []
        while let finding = search.next() { list.append(finding) }
        return list
    }

    private static func ranges(_ bytes: [UInt8], from start: Int = 0) -> [Range<Int>] {
        findings(bytes, from: start).compactMap { if case .tag(let found) = $0 { found.range } else { nil } }
    }

    private static let one = TagBytes.tag(.v24, TagBytes.title(.v24, "first"))
    private static let two = TagBytes.tag(.v23, TagBytes.title(.v23, "the second"))

    @Test func consecutiveTags_areFound() {
        let bytes = Self.one + Self.two + Self.one
        let first = Self.one.count
        let second = first + Self.two.count
        #expect(Self.ranges(bytes) == [0..<first, first..<second, second..<bytes.count])
        #expect(Self.ranges(bytes, from: 1) == [first..<second, second..<bytes.count])
        #expect(Self.ranges(bytes, from: bytes.count + 7) == [])
    }

    /// With 0 to 40 bytes of audio before, between and after the tags.
    @Test func tags_betweenOtherBytes_areFoundAtEveryDistance() {
        for length in 0...40 {
            let audio = (0..<length).map { UInt8(truncatingIfNeeded: 0x49 + 7 * $0) }
            let bytes = audio + Self.one + audio + Self.two + audio
            let start = length + Self.one.count + length
            #expect(
                Self.ranges(bytes) == [length..<length + Self.one.count, start..<start + Self.two.count])
        }
    }

    /// The first tag is truncated at every length; the second is still found unless the first one claims its bytes.
    @Test func tag_afterATruncatedTag_isFound() {
        for length in 3..<Self.one.count {
            let bytes = Array(Self.one.prefix(length)) + Self.two
            let expected = length..<bytes.count
            let ranges = Self.ranges(bytes)
            // A truncated tag with a complete header claims bytes of the next tag, and ends inside it.
            if bytes.count >= Self.one.count, length >= 10 {
                #expect(ranges.first == 0..<Self.one.count)
            } else {
                #expect(ranges.last == expected, "\(length)")
            }
        }
    }

    /// A tag size that is far too large does not hide later tags.
    @Test func tag_afterAnOversizedTag_isFound() {
        let claim = TagBytes.tag(.v24, size: [0x7F, 0x7F, 0x7F, 0x7F], TagBytes.title(.v24, "x"))
        let bytes = claim + Self.two
        let findings = Self.findings(bytes)
        #expect(findings.count == 2)
        guard case .tag(let first) = findings.first else {
            Issue.record("no first tag")
            return
        }
        #expect(first.range == 0..<bytes.count)
        #expect(first.missingCount == 10 + 0x0FFF_FFFF - bytes.count)
        #expect(Self.ranges(bytes).last == claim.count..<bytes.count)
    }

    @Test func invalidTagHeaders_areReported() {
        let wrong: [([UInt8], ID3Error)] = [
            (Array("ID3".utf8) + [5, 0, 0, 0, 0, 0, 0], .unknownVersion(at: 5, major: 5)),
            (Array("ID3".utf8) + [1, 0, 0, 0, 0, 0, 0], .unknownVersion(at: 5, major: 1)),
            (Array("ID3".utf8) + [4, 0xFF, 0, 0, 0, 0, 0], .forbiddenRevision(at: 5)),
            (Array("ID3".utf8) + [4, 0, 0, 0xFF, 0, 0, 0], .sizeNotSyncSafe(at: 8)),
            (Array("ID3".utf8) + [2, 0, 0x40, 0, 0, 0, 0], .compressedTag(at: 7)),
        ]
        for (header, error) in wrong {
            let bytes = [1, 2] + header + Self.two
            let findings = Self.findings(bytes)
            #expect(findings.first == .malformed(error, range: 2..<12))
            #expect(Self.ranges(bytes) == [12..<bytes.count])
        }
        let end = Self.findings([1] + Array("ID3".utf8) + [4, 0, 0])
        #expect(end == [.malformed(.headerTruncated(at: 1, available: 6), range: 1..<7)])
    }

    @Test func textContainingID3_isNotATagHeader() {
        #expect(Self.findings(Array("the ID3 tag, ID3v2, and an ID3".utf8).dropLast(4)) == [])
        #expect(Self.findings([]) == [])
    }

    /// Two million bytes of headers, each claiming all the rest, take only a moment.
    @Test(.timeLimit(.minutes(30)))
    func oversizedTagHeaders_doNotMultiplySearchTime() {
        var bytes: [UInt8] = []
        while bytes.count < 2_000_000 {
            let inner = Array("ID3".utf8) + [4, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F]
            bytes += TagBytes.frame(.v24, "TIT2", inner)
        }
        let header = Array("ID3".utf8) + [4, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F]
        #expect(!Self.findings(header + bytes).isEmpty)
    }

    /// The same with unsynchronised tags, with and without the flag of an extended header, which makes them fail late.
    @Test(.timeLimit(.minutes(30)), arguments: [0x80, 0xC0] as [UInt8])
    func oversizedUnsynchronisedTagHeaders_doNotMultiplySearchTime(flags: UInt8) {
        var bytes: [UInt8] = Self.one
        let header = Array("ID3".utf8) + [3, 0, flags, 0x7F, 0x7F, 0x7F, 0x7F]
        while bytes.count < 1_000_000 { bytes += header }
        let end = bytes.count
        bytes += Self.two
        #expect(Self.ranges(bytes).first == 0..<Self.one.count)
        #expect(Self.ranges(bytes).last == end..<bytes.count)
    }
}
