import ID3v2
import Testing

/// The deviations of writers from the standard, each read as the writer meant it.
@Suite struct LieTests {
    private static let long = String(repeating: "x", count: 200)

    /// A tag size that is written as a plain number instead of a sync-safe one.
    @Test func plainTagSize_isAcceptedIfAFrameFollows() throws {
        for version in ID3Version.allCases {
            let frame = TagBytes.title(version, Self.long)
            let bytes = TagBytes.tag(version, size: TagBytes.plain(frame.count), frame) + [1, 2, 3]
            let tag = try OwnedTag(bytes)
            #expect(tag.deviations == .plainTagSize, "\(version)")
            #expect(tag.header.declaredSize == frame.count)
            #expect(tag.frames.map(\.declaredSize) == [201])
            let isPlausible = ID3Header.isPlausible(bytes.span, at: 0)
            #expect(isPlausible)
        }
    }

    /// The plain size of a Nielsen tag, 261, is also a valid sync-safe number, 133; the first frame decides.
    @Test func plainTagSize_thatLooksSyncSafe_isAcceptedIfAFrameExceedsIt() throws {
        let frame = TagBytes.frame(.v24, "PRIV", [UInt8](repeating: 0x61, count: 251))
        let bytes = TagBytes.tag(.v24, size: TagBytes.plain(261), frame)
        let tag = try OwnedTag(bytes)
        #expect(tag.deviations == .plainTagSize)
        #expect(tag.header.tagLength == 271)
        // The decision needs only the header of the first frame.
        for length in 20...271 {
            #expect(try ID3Header(Array(bytes.prefix(length)).span).tagLength == 271)
        }
        // With only the tag's header, the size is read as the standard defines it.
        #expect(try ID3Header(Array(bytes.prefix(10)).span).tagLength == 143)
    }

    @Test func tagSize_notSyncSafeWithoutAFollowingFrame_isRefused() {
        let bytes = TagBytes.tag(.v24, size: [0, 0, 0, 0x90], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
        #expect(throws: ID3Error.sizeNotSyncSafe(at: 6)) { try ID3Header(bytes.span) }
        let isPlausible = ID3Header.isPlausible(bytes.span, at: 0)
        #expect(!isPlausible)
    }

    @Test func plainFrameSizes_inVersion24_areAcceptedIfTheyReachTheTagEnd() throws {
        for length in [128, 200, 255, 256, 300, 20_000] {
            let content = [0] + [UInt8](repeating: 0x78, count: length - 1)
            let frame = TagBytes.frame(.v24, "TIT2", size: TagBytes.plain(length), content)
            for padding in [0, 30] {
                let body = frame + TagBytes.title(.v24, "b") + [UInt8](repeating: 0, count: padding)
                let tag = try OwnedTag(TagBytes.tag(.v24, body))
                #expect(tag.deviations == .plainFrameSizes, "\(length)")
                #expect(tag.frames.map(\.declaredSize) == [length, 2])
                #expect(tag.defect == nil)
            }
        }
    }

    /// Zeros inside a frame are not mistaken for padding that the wrong reading reaches.
    @Test func plainFrameSizes_withZerosInTheFrame_areStillAccepted() throws {
        let content = [UInt8](repeating: 0, count: 300)
        let body =
            TagBytes.frame(.v24, "GEOB", size: TagBytes.plain(300), content) + TagBytes.title(.v24, "b")
        let tag = try OwnedTag(TagBytes.tag(.v24, body))
        #expect(tag.deviations == .plainFrameSizes)
        #expect(tag.ids == ["GEOB", "TIT2"])
    }

    @Test func syncSafeFrameSizes_inVersion23_areAcceptedIfTheyReachTheTagEnd() throws {
        for length in [128, 200, 300, 20_000] {
            let content = [0] + [UInt8](repeating: 0x78, count: length - 1)
            let frame = TagBytes.frame(.v23, "TIT2", size: TagBytes.syncSafe(length), content)
            let tag = try OwnedTag(TagBytes.tag(.v23, frame + TagBytes.title(.v23, "b")))
            #expect(tag.deviations == .syncSafeFrameSizes, "\(length)")
            #expect(tag.frames.map(\.declaredSize) == [length, 2])
        }
    }

    /// Sizes below 128 are the same in both forms, and correct large sizes are not changed.
    @Test(arguments: [ID3Version.v23, .v24])
    func correctFrameSizes_areNotADeviation(version: ID3Version) throws {
        for length in [1, 127, 128, 129, 255, 256, 16_383, 16_384, 70_000] {
            let content = [UInt8](repeating: 0x78, count: length)
            let body = TagBytes.frame(version, "XABC", content) + TagBytes.title(version, "b")
            let tag = try OwnedTag(TagBytes.tag(version, body + [0, 0, 0]))
            #expect(tag.deviations == [], "\(length)")
            #expect(tag.frames.map(\.declaredSize) == [length, 2])
        }
    }

    private static let extendedHeader: [ID3Version: [UInt8]] = [
        .v23: [0, 0, 0, 6, 0, 0, 0, 0, 0, 0], .v24: [0, 0, 0, 6, 1, 0],
    ]

    @Test(arguments: [ID3Version.v23, .v24])
    func validExtendedHeader_isSkipped(version: ID3Version) throws {
        let header = try #require(Self.extendedHeader[version])
        let bytes = TagBytes.tag(version, flags: 0x40, header + TagBytes.title(version, "b"))
        let tag = try OwnedTag(bytes)
        #expect(tag.deviations == [])
        #expect(tag.ids == ["TIT2"])
        #expect(tag.frames.first?.offset == 10 + header.count)
        #expect(try ID3Tag(bytes.span).extendedHeader?.declaredSize == 6)
    }

    @Test(arguments: [ID3Version.v23, .v24])
    func extendedHeader_flaggedButAbsent_isADeviation(version: ID3Version) throws {
        let tag = try OwnedTag(TagBytes.tag(version, flags: 0x40, TagBytes.title(version, "b")))
        #expect(tag.deviations == .absentExtendedHeader)
        #expect(tag.ids == ["TIT2"])
    }

    /// Version 2.3 excludes the four bytes of the size itself; version 2.4 counts them.
    @Test(arguments: [ID3Version.v23, .v24])
    func extendedHeader_withTheSizeRuleOfTheOtherVersion_isSkippedWithADeviation(version: ID3Version) throws {
        var header = try #require(Self.extendedHeader[version])
        header[3] = version == .v23 ? 10 : 2
        let tag = try OwnedTag(TagBytes.tag(version, flags: 0x40, header + TagBytes.title(version, "b")))
        #expect(tag.deviations == .extendedHeaderSize)
        #expect(tag.ids == ["TIT2"])
    }

    @Test func extendedHeader_withAllFieldsOfVersion24_isRead() throws {
        let fields: [UInt8] = [0, 0, 0, 15, 1, 0x70, 0, 5, 0x0F, 0x7F, 0x7F, 0x7F, 0x7F, 1, 0xA5]
        let bytes = TagBytes.tag(.v24, flags: 0x40, fields + TagBytes.title(.v24, "b"))
        let header = try #require(try ID3Tag(bytes.span).extendedHeader)
        #expect(header.isUpdate)
        #expect(header.crc == 0xFFFF_FFFF)
        #expect(header.restrictions == 0xA5)
        #expect(header.paddingSize == nil)
        #expect(try OwnedTag(bytes).ids == ["TIT2"])
    }

    @Test func extendedHeader_ofVersion23_hasCRCAndPaddingSize() throws {
        let frame = TagBytes.title(.v23, "ab")
        for sum in [0x9622_429B, 0x9622_429C] {
            let header = TagBytes.plain(10) + [0x80, 0, 0, 0, 0, 4] + TagBytes.plain(sum)
            let bytes = TagBytes.tag(.v23, flags: 0x40, header + frame + [0, 0, 0, 0])
            let extended = try #require(try ID3Tag(bytes.span).extendedHeader)
            #expect(extended.crc == UInt32(sum))
            #expect(extended.paddingSize == 4)
        }
    }

    @Test func extendedHeader_beyondTheTag_isRefused() {
        let bytes = TagBytes.tag(.v24, flags: 0x40, [0, 0, 1, 0, 1, 0] + TagBytes.title(.v24, "b"))
        #expect(throws: ID3Error.extendedHeaderInvalid(at: 10)) { try ID3Header(bytes.span) }
    }

    @Test func footer_isSkipped() throws {
        let frame = TagBytes.title(.v24, "b")
        var bytes = TagBytes.tag(.v24, flags: 0x10, frame)
        bytes += Array("3DI".utf8) + bytes[3..<10]
        let tag = try OwnedTag(bytes)
        #expect(tag.header.hasFooter)
        #expect(tag.header.tagLength == bytes.count)
        #expect(!tag.isTruncated)
        #expect(tag.ids == ["TIT2"])
    }

    @Test func absentFooter_doesNotConsumeTheNextTag() throws {
        let first = TagBytes.tag(.v24, flags: 0x10, TagBytes.title(.v24, "b"))
        let tag = try OwnedTag(first + first)
        #expect(tag.deviations == .absentFooter)
        #expect(tag.header.tagLength == first.count)
    }

    @Test(arguments: [ID3Version.v22, .v23])
    func unsynchronisation_flaggedButNotApplied_isNotReversed(version: ID3Version) throws {
        let content: [UInt8] = [0xFF, 0xE0, 0xFF, 0x00, 0x61]
        let id = version == .v22 ? "XAB" : "XABC"
        let tag = try OwnedTag(TagBytes.tag(version, flags: 0x80, TagBytes.frame(version, id, content)))
        #expect(tag.deviations == .falseUnsynchronisation)
        #expect(tag.frames.first?.storedContent == content)
    }

    @Test func frameUnsynchronisation_flaggedButNotApplied_isNotReversed() throws {
        let content: [UInt8] = [0xFF, 0xFB, 0xFF, 0x00, 0x61]
        let frame = TagBytes.frame(.v24, "XABC", flags: [0, 0x02], content)
        let tag = try OwnedTag(TagBytes.tag(.v24, frame))
        #expect(tag.frames.first?.decoded == content)
        #expect(tag.frames.first?.decodingDeviations == .falseUnsynchronisation)
    }
}
