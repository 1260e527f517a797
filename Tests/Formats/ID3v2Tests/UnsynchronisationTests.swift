import Testing

@testable import ID3v2

@Suite struct UnsynchronisationTests {
    /// Contents with all the neighbors of 0xFF that matter to the scheme.
    private static let contents: [[UInt8]] = [
        [0xFF, 0x00], [0xFF, 0x00, 0x00], [0xFF, 0xE0], [0xFF, 0xFF, 0xFF], [0xFF], [0xFF, 0xDF, 0x00],
        [0x00, 0xFF, 0xFB, 0x90, 0x00, 0xFF, 0x00, 0xFF], [0x61, 0x62],
        [UInt8](repeating: 0xFF, count: 300), Array(0...255),
    ]

    /// Up to version 2.3, zeros are inserted into the complete tag, including frame headers, and frame sizes do not
    /// count them.
    @Test(arguments: [ID3Version.v22, .v23])
    func unsynchronisedTag_withAnyContent_roundTrips(version: ID3Version) throws {
        let id = version == .v22 ? "XAB" : "XABC"
        for content in Self.contents {
            let body = TagBytes.frame(version, id, content) + TagBytes.title(version, "b")
            let tag = try OwnedTag(TagBytes.tag(version, flags: 0x80, TagBytes.unsynchronised(body)))
            #expect(tag.deviations == [])
            #expect(tag.frames.map(\.declaredSize) == [content.count, 2], "\(content)")
            #expect(tag.frames.first?.decoded == content)
            #expect(tag.frames.last?.storedContent == [0, 0x62])
            #expect(tag.defect == nil)
        }
    }

    /// A frame header with a size of 0x00FF also gets an inserted zero.
    @Test func frameHeader_withFFInItsSize_isRead() throws {
        let content = [UInt8](repeating: 0x61, count: 0xFF)
        let body = TagBytes.frame(.v23, "XABC", content) + TagBytes.title(.v23, "b")
        let stored = TagBytes.unsynchronised(body)
        #expect(stored.count == body.count + 1)
        let tag = try OwnedTag(TagBytes.tag(.v23, flags: 0x80, stored))
        #expect(tag.frames.first?.decoded == content)
        #expect(tag.ids == ["XABC", "TIT2"])
    }

    /// In version 2.4 each frame has its own flag, and its size counts the zeros.
    @Test func unsynchronisedFrame_withAnyContent_roundTrips() throws {
        for content in Self.contents {
            let stored = TagBytes.unsynchronised(content)
            let body =
                TagBytes.frame(.v24, "XABC", flags: [0, 0x02], stored) + TagBytes.title(.v24, "b")
            for flags: UInt8 in [0x00, 0x80] {
                let tag = try OwnedTag(TagBytes.tag(.v24, flags: flags, body))
                #expect(tag.frames.first?.decoded == content)
                #expect(tag.frames.first?.storedContent == nil)
                #expect(tag.frames.last?.storedContent == [0, 0x62])
            }
        }
    }

    /// The flag of the tag is advisory in version 2.4: a frame without its own flag is stored unchanged.
    @Test func tagFlag_inVersion24_doesNotAffectFrames() throws {
        let content: [UInt8] = [0x61, 0xFF, 0x00, 0x62]
        let tag = try OwnedTag(TagBytes.tag(.v24, flags: 0x80, TagBytes.frame(.v24, "XABC", content)))
        #expect(tag.frames.first?.storedContent == content)
        #expect(tag.frames.first?.decoded == content)
    }

    /// At every length, no byte past the end is read, and complete frames are decoded completely.
    @Test func unsynchronisedTag_atEveryTruncation_yieldsAPrefix() throws {
        let content: [UInt8] = [0xFF, 0x00, 0xFF, 0xE0, 0xFF]
        let body = TagBytes.frame(.v23, "XABC", content) + TagBytes.title(.v23, "b")
        let bytes = TagBytes.tag(.v23, flags: 0x80, TagBytes.unsynchronised(body))
        for length in 10...bytes.count {
            let tag = try OwnedTag(Array(bytes.prefix(length)))
            #expect(tag.isTruncated == (length < bytes.count))
            guard let first = tag.frames.first, let decoded = first.decoded else { continue }
            #expect(content.starts(with: decoded))
            if !first.isTruncated { #expect(decoded == content) }
        }
    }

    /// A private frame without inserted zeros needs no copy, even if the flag of the tag is set.
    @Test func privateFrame_withoutInsertedZeros_isBorrowed() throws {
        let content = Array("owner".utf8) + [0, 1, 2]
        let tag = try OwnedTag(TagBytes.tag(.v23, flags: 0x80, TagBytes.frame(.v23, "PRIV", content)))
        #expect(tag.frames.first?.owner == Array("owner".utf8))
        #expect(tag.frames.first?.data == [1, 2])
        let other = TagBytes.unsynchronised(TagBytes.frame(.v23, "PRIV", content + [0xFF, 0]))
        let stored = try OwnedTag(TagBytes.tag(.v23, flags: 0x80, other))
        #expect(stored.frames.first?.owner == nil)
        #expect(stored.frames.first?.content == .priv(owner: "owner", data: [1, 2, 0xFF, 0]))
    }

    @Test func unsynchronisation_withARemainingSyncPattern_isFalselyClaimed() {
        for (bytes, isFalse) in [
            ([], false), ([0xFF], false), ([0xE0], false), ([0xFF, 0xE0], true), ([0xFF, 0xFF], true),
            ([0xFF, 0xDF], false), ([0xFE, 0xE0], false), ([0xFF, 0x00, 0xE0], false),
            ([0, 0xFF, 0xE0], true),
        ] as [([UInt8], Bool)] {
            #expect(
                Unsynchronisation.isFalselyClaimed(of: bytes.span, in: bytes.indices) == isFalse, "\(bytes)")
        }
    }
}
