import ID3v2
import Testing

@Suite struct FrameTests {
    private static func frames(_ version: ID3Version) -> [[UInt8]] {
        ["a", "", "a longer title", String(repeating: "x", count: 300)].map { TagBytes.title(version, $0) }
    }

    @Test(arguments: ID3Version.allCases)
    func frames_ofEveryVersion_areWalkedInOrder(version: ID3Version) throws {
        let bytes = TagBytes.tag(version, Self.frames(version).flatMap { $0 })
        let tag = try OwnedTag(bytes)
        #expect(tag.defect == nil)
        #expect(tag.deviations == [])
        #expect(tag.ids == Array(repeating: TagBytes.titleID(version), count: 4))
        #expect(
            tag.frames.map(\.content) == [
                .text(id: TagBytes.titleID(version), values: ["a"]),
                .text(id: TagBytes.titleID(version), values: []),
                .text(id: TagBytes.titleID(version), values: ["a longer title"]),
                .text(id: TagBytes.titleID(version), values: [String(repeating: "x", count: 300)]),
            ])
    }

    @Test(arguments: ID3Version.allCases)
    func frame_truncatedInItsHeader_isADefect(version: ID3Version) throws {
        let first = TagBytes.title(version, "a")
        let bytes = TagBytes.tag(version, first + TagBytes.title(version, "b"))
        let tag = try OwnedTag(Array(bytes.prefix(10 + first.count + 3)))
        #expect(tag.frames.count == 1)
        #expect(
            tag.defect
                == .frameTruncated(
                    at: 10 + first.count, declared: version.frameHeaderLength, available: 3))
    }

    @Test func deviation_alone_isItsOwnRule() {
        let expected: [(ID3Deviations, MalformedRule)] = [
            (.plainTagSize, .plainTagSize), (.plainFrameSizes, .plainFrameSizes),
            (.syncSafeFrameSizes, .syncSafeFrameSizes), (.absentExtendedHeader, .absentExtendedHeader),
            (.extendedHeaderSize, .extendedHeaderSize), (.absentFooter, .absentFooter),
            (.falseUnsynchronisation, .falseUnsynchronisation), (.undefinedFlags, .undefinedFlags),
            (.dataLengthIndicator, .dataLengthIndicator),
        ]
        for (deviation, rule) in expected { #expect(deviation.rules == [rule]) }
    }

    /// At every length, the frames are a prefix of those of the complete tag; the last one may be truncated.
    @Test(arguments: ID3Version.allCases)
    func frames_atEveryTruncation_areAPrefix(version: ID3Version) throws {
        let bytes = TagBytes.tag(version, Self.frames(version).flatMap { $0 })
        let whole = try OwnedTag(bytes)
        for length in 10...bytes.count {
            let tag = try OwnedTag(Array(bytes.prefix(length)))
            #expect(tag.isTruncated == (length < bytes.count))
            #expect(tag.header == whole.header)
            let complete = tag.frames.filter { !$0.isTruncated }
            #expect(complete == Array(whole.frames.prefix(complete.count)))
            guard let last = tag.frames.last, last.isTruncated else { continue }
            #expect(tag.frames.count == complete.count + 1)
            let available = length - last.offset - version.frameHeaderLength
            #expect(
                tag.defect
                    == .frameTruncated(at: last.offset, declared: last.declaredSize, available: available))
            #expect(last.storedContent?.count == available)
        }
    }

    @Test(arguments: ID3Version.allCases)
    func privateFrame_atEveryTruncation_yieldsTheAvailableBytes(version: ID3Version) throws {
        guard version != .v22 else { return }
        let owner = Array("owner@example.com".utf8)
        let bytes = TagBytes.tag(version, TagBytes.frame(version, "PRIV", owner + [0, 1, 2, 0, 3]))
        for length in 20...bytes.count {
            let tag = try OwnedTag(Array(bytes.prefix(length)))
            let frame = try #require(tag.frames.first)
            let content = length - 20
            #expect(frame.owner == Array(owner.prefix(content)))
            #expect(frame.data == Array(([1, 2, 0, 3] as [UInt8]).prefix(max(0, content - 18))))
            #expect(frame.isTruncated == (length < bytes.count))
        }
    }

    /// A zero byte at each position ends owners of every length up to 40.
    @Test func ownerIdentifier_endsAtTheFirstZero() {
        for length in 0...40 {
            for place in 0...length {
                var content = [UInt8](repeating: 0x61, count: length)
                if place < length { content[place] = 0 }
                let frame = PrivateFrame(content: content.span)
                #expect(frame.ownerIdentifier.count == place)
                #expect(frame.data.count == max(0, length - place - 1))
            }
        }
    }

    @Test(arguments: ID3Version.allCases)
    func emptyFrame_isReturned_andTheNextIsRead(version: ID3Version) throws {
        let id = TagBytes.titleID(version)
        let bytes = TagBytes.tag(version, TagBytes.frame(version, id, []) + TagBytes.title(version, "b"))
        let tag = try OwnedTag(bytes)
        #expect(tag.frames.map(\.declaredSize) == [0, 2])
        #expect(tag.frames.map(\.content) == [.other(id: id, size: 0), .text(id: id, values: ["b"])])
        #expect(tag.defect == nil)
    }

    @Test(arguments: ID3Version.allCases)
    func padding_ofEveryLength_endsTheWalk(version: ID3Version) throws {
        for count in 0...24 {
            let padding = [UInt8](repeating: 0, count: count)
            let tag = try OwnedTag(TagBytes.tag(version, TagBytes.title(version, "b") + padding))
            #expect(tag.frames.count == 1)
            #expect(tag.defect == nil)
            #expect(!tag.isTruncated)
        }
    }

    @Test(arguments: ID3Version.allCases)
    func frameBeyondTag_isReturnedTruncated(version: ID3Version) throws {
        let size = version == .v22 ? TagBytes.plain(9, count: 3) : TagBytes.plain(9)
        let frame = TagBytes.frame(version, TagBytes.titleID(version), size: size, [0, 0x61])
        let bytes = TagBytes.tag(version, frame) + [1, 2, 3, 4, 5, 6, 7, 8, 9]
        let tag = try OwnedTag(bytes)
        #expect(tag.defect == .frameBeyondTag(at: 10, declared: 9, available: 2))
        #expect(tag.frames.map(\.isTruncated) == [true])
        #expect(tag.frames.first?.storedContent == [0, 0x61])
    }

    /// The frames after a damaged frame are still read.
    @Test(arguments: ID3Version.allCases)
    func frameAfterADefect_isRecovered(version: ID3Version) throws {
        let id = TagBytes.titleID(version)
        let good = TagBytes.title(version, "good")
        let tooLong = version == .v22 ? TagBytes.plain(99, count: 3) : TagBytes.plain(99)
        let damages: [[UInt8]] = [
            TagBytes.frame(version, id, size: tooLong, [0, 0x61]), Array("##garbage##".utf8), [1, 2, 3],
            Array("T".utf8), TagBytes.frame(version, "T!T2", [0, 0x61]),
        ]
        for damage in damages {
            let tag = try OwnedTag(TagBytes.tag(version, good + damage + good + [0, 0]))
            #expect(tag.frames.first?.content == .text(id: id, values: ["good"]))
            #expect(tag.defect != nil, "\(damage)")
            #expect(tag.recovered.map(\.content) == [.text(id: id, values: ["good"])], "\(damage)")
        }
    }

    @Test func threeCharacterID_inAFourByteField_isAV22ID() throws {
        for filler: UInt8 in [0, 0x20] {
            let frame = Array("TT2".utf8) + [filler] + TagBytes.plain(2) + [0, 0, 0, 0x61]
            let tag = try OwnedTag(TagBytes.tag(.v23, frame))
            #expect(tag.frames.map(\.content) == [.text(id: "TT2", values: ["a"])])
        }
        #expect(ID3FrameID("TT2")?.description == "TT2")
        #expect(ID3FrameID("PRIV") == .priv)
        for wrong in ["", "TT", "priv", "PRIVE", "TI-2", "ÄÄ"] { #expect(ID3FrameID(wrong) == nil) }
    }

    /// Each bit of the format flags, in versions that define it and in versions that do not.
    @Test func formatFlagBits_areInterpretedPerVersion() throws {
        let expected: [ID3Version: [Int: ID3Frame.Format]] = [
            .v23: [7: [.compressed, .hasLength], 6: .encrypted, 5: .grouped],
            .v24: [6: .grouped, 3: .compressed, 2: .encrypted, 1: .unsynchronised, 0: .hasLength],
        ]
        for (version, formats) in expected {
            for bit in 0..<8 {
                let frame = TagBytes.frame(version, "TIT2", flags: [0, 1 << bit], [0, 0, 0, 1, 0, 0x61])
                let tag = try OwnedTag(TagBytes.tag(version, frame))
                #expect(tag.frames.first?.format == formats[bit] ?? [], "\(version) \(bit)")
            }
        }
    }

    @Test func groupIdentifierAndDataLength_areReadPerVersion() throws {
        let v24 = TagBytes.frame(.v24, "TIT2", flags: [0, 0x41], [0x90, 0, 0, 0, 2, 0, 0x61])
        let first = try #require(try OwnedTag(TagBytes.tag(.v24, v24)).frames.first)
        #expect(first.groupIdentifier == 0x90)
        #expect(first.dataLengthIndicator == 2)
        #expect(first.content == .text(id: "TIT2", values: ["a"]))
        let v23 = TagBytes.frame(.v23, "TIT2", flags: [0, 0x20], [0x90, 0, 0x61])
        let second = try #require(try OwnedTag(TagBytes.tag(.v23, v23)).frames.first)
        #expect(second.groupIdentifier == 0x90)
        #expect(second.content == .text(id: "TIT2", values: ["a"]))
        #expect(second.storedContent == nil)
    }

    @Test func encryptedFrame_isReturnedButNotDecoded() throws {
        for (version, flag) in [(ID3Version.v23, UInt8(0x40)), (.v24, 0x04)] {
            let frame = TagBytes.frame(version, "PRIV", flags: [0, flag], [0x80, 0x61, 0, 1])
            let tag = try OwnedTag(TagBytes.tag(version, frame))
            #expect(tag.frames.first?.decodingError == .frameEncrypted(at: 10))
            #expect(tag.frames.first?.content == .other(id: "PRIV", size: 4))
            #expect(tag.frames.first?.owner == nil)
        }
    }

    @Test func missingFrameFields_areADecodingError() throws {
        let frame = TagBytes.frame(.v24, "TIT2", flags: [0, 0x01], [0, 0, 0])
        let tag = try OwnedTag(TagBytes.tag(.v24, frame))
        #expect(tag.frames.first?.decodingError == .frameFieldsMissing(at: 10))
        #expect(tag.frames.first?.content == .other(id: "TIT2", size: 3))
    }
}
