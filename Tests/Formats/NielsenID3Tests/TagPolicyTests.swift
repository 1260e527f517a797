import ID3v2
import NielsenID3
import TestSupport
import Testing

/// The rules for a single tag, each with tags that pass, fail, and are not checked.
@Suite struct TagPolicyTests {
    private static func ids(_ tag: SyntheticTag) -> [String]? {
        Samples.decode(Samples.tag(tag.owner))?.problems
    }

    @Test func syntheticTag_hasNoProblem() {
        #expect(SyntheticTag().owner.utf8.count == 249)
        #expect(Self.ids(SyntheticTag()) == [])
        #expect(Self.ids(.info) == [])
    }

    @Test func kind_ofEveryByte_isDecodedWithoutProblems() {
        for byte in UInt8.min...UInt8.max {
            var synthetic = SyntheticTag.info
            synthetic.kind = byte
            synthetic.lastTime = synthetic.firstTime + 10
            let tag = Samples.decode(Samples.tag(synthetic.owner))
            let expected: NielsenTag.Kind = byte == 1 ? .info : byte == 2 ? .data : .unknown(byte)
            #expect(tag?.kind == expected)
            #expect(tag?.problems == [])
        }
    }

    @Test(arguments: Samples.all)
    func publicSample_hasNoProblem(owner: String) {
        #expect(Samples.decode(Samples.tag(owner))?.problems == [])
    }

    /// Every duration from -20 to 20 seconds with every count of unused blocks.
    @Test func duration_withEveryCountOfUnusedBlocks_isChecked() {
        for seconds in -20...20 {
            for unused in 0...7 {
                var tag = SyntheticTag()
                tag.unusedBlockCount = unused
                tag.lastTime = UInt32(Int(tag.firstTime) + seconds)
                let isHit = seconds > 12 || (seconds < 4 && unused > 0)
                #expect(Self.ids(tag) == (isHit ? ["time.duration"] : []), "\(seconds) s, \(unused) unused")
                let decoded = Samples.decode(owner: Array(tag.owner.utf8))
                #expect(decoded?.unusedBlockCount == unused)
                #expect(decoded?.duration == seconds)
                tag.kind = 1
                tag.pcCID = SyntheticTag.null
                tag.fdCID = SyntheticTag.null
                tag.pcOffset = "00000"
                tag.fdOffset = "00000"
                #expect(Self.ids(tag) == [])
            }
        }
    }

    /// A block is unused only if all of its bytes are those of the null CID.
    @Test func block_withHalfOfTheNullCID_isUsed() {
        for block in 0..<5 {
            for half in [0..<8, 8..<16] {
                var tag = SyntheticTag()
                var bytes = [UInt8](repeating: 0x55, count: 16)
                bytes.replaceSubrange(half, with: SyntheticTag.null[half])
                tag.blocks[block] = bytes
                #expect(
                    Samples.decode(owner: Array(tag.owner.utf8))?.unusedBlockCount == 2, "\(block) \(half)")
                tag.blocks[block] = SyntheticTag.null
                #expect(Samples.decode(owner: Array(tag.owner.utf8))?.unusedBlockCount == 3, "\(block)")
            }
        }
    }

    @Test func invalidChecksum_isReported() throws {
        for error: UInt16 in [1, 0xFFFF, 0x100, 0x8000] {
            var synthetic = SyntheticTag()
            synthetic.checksumError = error
            let tag = try #require(Samples.decode(Samples.tag(synthetic.owner)))
            #expect(tag.problems == ["tag.checksum"])
            #expect(tag.isChecksumValid == false)
            let computed = try #require(tag.computedChecksum)
            #expect(tag.storedChecksum == computed &+ error)
        }
    }

    @Test func breakout_otherThan00_isReported() {
        for value in 0...99 {
            var tag = SyntheticTag()
            tag.breakout = value < 10 ? "0\(value)" : "\(value)"
            #expect(Self.ids(tag) == (value == 0 ? [] : ["tag.breakout"]))
            #expect(Samples.decode(owner: Array(tag.owner.utf8))?.breakout == value)
        }
    }

    @Test func infoTag_withCIDOrOffset_isReported() {
        var tag = SyntheticTag.info
        tag.pcCID = Array(1...16)
        #expect(Self.ids(tag) == ["info.cids"])
        tag = .info
        tag.fdCID = Array(1...16)
        #expect(Self.ids(tag) == ["info.cids"])
        tag.pcOffset = "00001"
        #expect(Self.ids(tag) == ["info.cids", "info.offsets"])
        tag = .info
        tag.fdOffset = "10000"
        #expect(Self.ids(tag) == ["info.offsets"])
    }

    @Test func dataTag_withNonzeroOffsetOfNullCID_isReported() {
        for isPC in [true, false] {
            for offset in ["00000", "00001", "99999"] {
                var tag = SyntheticTag()
                if isPC {
                    tag.pcCID = SyntheticTag.null
                    tag.pcOffset = offset
                } else {
                    tag.fdCID = SyntheticTag.null
                    tag.fdOffset = offset
                }
                #expect(Self.ids(tag) == (offset == "00000" ? [] : ["cid.offset-of-null"]))
            }
        }
    }

    /// The fields of a tag with an invalid checksum or format are not checked.
    @Test func brokenTags_areNotCheckedAgainstFieldRules() {
        var tag = SyntheticTag.info
        tag.pcOffset = "00009"
        tag.fdCID = Array(1...16)
        tag.checksumError = 1
        #expect(Self.ids(tag) == ["tag.checksum"])
        tag.checksumError = 0
        tag.breakout = "0x"
        #expect(Self.ids(tag) == ["tag.format"])
        var data = SyntheticTag()
        data.lastTime = data.firstTime
        data.checksumError = 1
        #expect(Self.ids(data) == ["tag.checksum"])
    }

    /// Bytes of the header and both bytes of the tail, changed to values that leave the tag readable.
    @Test func envelope_withChangedByte_isReported() throws {
        let bytes = Samples.tag(Samples.data2015)
        var changed = bytes
        changed[5] = 0
        #expect(Samples.decode(changed)?.problems == ["tag.header"])
        changed = bytes
        changed[4] = 1
        #expect(Samples.decode(changed)?.problems == ["tag.header"])
        changed = bytes
        changed[18] = 0x40
        #expect(Samples.decode(changed)?.problems == ["tag.header"])
        changed = bytes
        changed[270] = 0x42
        #expect(Samples.decode(changed)?.problems == ["tag.tail"])
        changed = bytes
        changed[269] = 0x30
        let tag = try #require(Samples.decode(changed))
        #expect(tag.problems == ["tag.tail", "tag.format"])
        #expect(tag.formatDefect == FormatDefect(piece: .end, character: 249))
    }

    /// The same frame in tags with other headers: the fields are decoded, and the deviations are reported.
    @Test func otherEnvelopes_areDecodedAndReported() throws {
        let frame = Array(Samples.tag(Samples.data2015)[10...])
        let title: [UInt8] = Array("TIT2".utf8) + [0, 0, 0, 2, 0, 0, 0, 0x61]
        func tag(_ version: UInt8, _ flags: UInt8, _ body: [UInt8]) -> [UInt8] {
            let size = [body.count >> 7, body.count & 0x7F].map { UInt8($0) }
            return Array("ID3".utf8) + [version, 0, flags, 0, 0] + size + body
        }
        var frame23 = frame
        frame23.replaceSubrange(4..<8, with: [0, 0, 0, 0xFB])
        let cases: [([UInt8], [String])] = [
            (tag(4, 0x20, title + frame), ["tag.header", "tag.tail"]),
            (tag(4, 0x20, frame + title), ["tag.header", "tag.tail"]),
            (tag(4, 0x20, frame + [0, 0, 0]), ["tag.header", "tag.tail"]),
            (tag(3, 0x20, frame23), ["tag.header"]),
            (tag(4, 0x20, frame23), ["id3.malformed", "tag.header"]),
            (tag(3, 0xA0, frame23), ["tag.header"]),
        ]
        let expected = try #require(Samples.decode(Samples.tag(Samples.data2015)))
        for (bytes, ids) in cases {
            let tag = try #require(Samples.decode(bytes))
            #expect(tag.problems == ids, "\(bytes.prefix(24))")
            #expect(tag.ownerIdentifier == expected.ownerIdentifier)
            #expect(tag.sequence == 52)
        }
    }

    /// Sizes as plain integers instead of synchsafe ones are decoded and reported.
    @Test func sizes_notSynchsafe_areReportedAsDeviations() throws {
        var bytes = Samples.tag(Samples.data2015)
        bytes.replaceSubrange(6..<10, with: [0, 0, 1, 5])
        bytes.replaceSubrange(14..<18, with: [0, 0, 0, 0xFB])
        let tag = try #require(Samples.decode(bytes))
        #expect(tag.deviations == [.plainTagSize, .plainFrameSizes])
        #expect(tag.malformation == nil)
        #expect(tag.problems == ["id3.malformed", "tag.header"])
        #expect(tag.sequence == 52)
    }

    /// A truncated tag with a recognizable owner identifier is invalid at every length.
    @Test func tag_truncatedAnywhere_isInvalidOrNil() throws {
        let bytes = Samples.tag(Samples.data2015)
        for length in 0..<bytes.count {
            let cut = Array(bytes.prefix(length))
            let tag = Samples.decode(cut)
            guard length >= 36 else {
                #expect(tag == nil)
                continue
            }
            let partial = try #require(tag)
            #expect(Set(partial.problems).isSuperset(of: ["id3.malformed", "tag.tail"]))
            #expect(partial.malformation == .tagTruncated(at: 0, declared: 271, available: length))
            #expect(partial.ownerIdentifier == Array(bytes[20..<min(length, 269)]))
            #expect(partial.problems.contains("tag.format") == (length < 269))
            if length < 269 {
                #expect(partial.formatDefect?.character == length - 20)
            } else {
                #expect(partial.sequence == 52)
            }
        }
    }

    /// A frame with a damaged size precedes the Nielsen frame.
    @Test func nielsenFrame_afterDamagedFrame_isDecoded() throws {
        let frame = Array(Samples.tag(Samples.data2015)[10...])
        let damaged: [UInt8] = Array("TIT2".utf8) + [0, 0, 0x7F, 0x7F, 0, 0, 0, 0x61]
        let body = damaged + frame
        let size = [body.count >> 7, body.count & 0x7F].map { UInt8($0) }
        let bytes = Array("ID3".utf8) + [4, 0, 0x20, 0, 0] + size + body
        let tag = try #require(Samples.decode(bytes))
        #expect(tag.sequence == 52)
        #expect(tag.problems == ["id3.malformed", "tag.header", "tag.tail"])
        #expect(tag.malformation?.offset == 10)
    }

    @Test func otherOwners_areNotNielsenTags() {
        var owners = ["", "www.nielsen.com", "www.nielsen.co/", "WWW.nielsen.com/x", "com.apple.streaming"]
        owners += ["xwww.nielsen.com/", "www.nielsen.org/"]
        for owner in owners {
            #expect(Samples.decode(owner: Array(owner.utf8)) == nil)
            let content = Array(owner.utf8) + [0, 1]
            let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(content.count), 0, 0] + content
            let bytes = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
            #expect(Samples.decode(bytes) == nil)
        }
        #expect(Samples.decode([]) == nil)
        #expect(Samples.decode(owner: Array("www.nielsen.com/".utf8))?.problems == ["tag.format"])
    }

    /// No rule allows two Nielsen frames in a tag; the first one is decoded.
    @Test func tagWithTwoNielsenFrames_decodesTheFirst_withProblems() throws {
        let frames = [Samples.data2015, Samples.data2017].flatMap { Samples.tag($0)[10...] }
        let size = [frames.count >> 7, frames.count & 0x7F].map { UInt8($0) }
        let bytes = Array("ID3".utf8) + [4, 0, 0x20, 0, 0] + size + frames
        let tag = try #require(Samples.decode(bytes))
        #expect(tag.sequence == 52 && tag.problems == ["tag.header", "tag.tail"])
    }

    @Test func durationLimits_ofPolicy_areApplied() throws {
        var tag = SyntheticTag()
        tag.lastTime = tag.firstTime + 20
        let long = try #require(Samples.decode(owner: Array(tag.owner.utf8)))
        tag.lastTime = tag.firstTime + 2
        let short = try #require(Samples.decode(owner: Array(tag.owner.utf8)))
        var policy = TagPolicy()
        #expect(policy.problems(of: long) == [.timeDuration] && policy.problems(of: short) == [.timeDuration])
        policy.longestTag = 20
        policy.shortestTag = 2
        #expect(policy.problems(of: long) == [] && policy.problems(of: short) == [])
        policy.longestTag = 19
        policy.shortestTag = 3
        #expect(policy.problems(of: long) == [.timeDuration] && policy.problems(of: short) == [.timeDuration])
    }

    // MARK: Occurrences

    private static func occurrence(
        of bytes: [UInt8], in carriage: Carriage, isTruncated: Bool = false
    ) throws -> TagOccurrence {
        let tag = try #require(Samples.decode(bytes))
        let origin = TagOrigin.recording(TagPlace(source: "a"))
        return TagPolicy().checked(
            TagOccurrence(
                tag: tag, origin: origin, time: nil, seconds: nil, carriage: carriage,
                isTruncated: isTruncated))
    }

    @Test func truncatedTag_inTransportStream_failsOnlyAsIncomplete() throws {
        let bytes = Array(Samples.tag(Samples.data2015).prefix(150))
        let tag = try Self.occurrence(of: bytes, in: .transportStream(pid: 258), isTruncated: true)
        #expect(tag.problems == [.pesIncomplete] && tag.severity == .fail)
        #expect(TagRule.allCases.filter { tag.status(of: $0) != .notRun } == [.complete])
    }

    @Test func truncatedTag_inOtherContainer_failsOnlyAsMalformed() throws {
        let bytes = Array(Samples.tag(Samples.data2015).prefix(150))
        let tag = try Self.occurrence(of: bytes, in: .metadataBox, isTruncated: true)
        #expect(tag.problems == [.id3Malformed] && tag.severity == .fail)
    }

    @Test func validTag_passesTheRulesThatApplyToIt() throws {
        let data = try Self.occurrence(of: Samples.tag(Samples.data2015), in: .transportStream(pid: 258))
        #expect(data.problems == [] && data.severity == .pass)
        #expect(TagRule.allCases.filter { data.status(of: $0) != .pass } == [.infoCIDs, .infoOffsets])
        let info = try Self.occurrence(of: Samples.tag(Samples.info2013), in: .metadataBox)
        #expect(info.problems == [] && info.severity == .pass)
        let notRun = TagRule.allCases.filter { info.status(of: $0) == .notRun }
        #expect(notRun == [.complete, .duration, .offsetOfNull])
    }

    @Test func severity_isTheWorstStatusOfAllRules() throws {
        // The header of such a tag fails too, and only the rule of ID3v2 warns.
        var bytes = Samples.tag(Samples.data2015)
        bytes.replaceSubrange(6..<10, with: [0, 0, 1, 5])
        let tag = try Self.occurrence(of: bytes, in: .metadataBox)
        #expect(tag.status(of: .wellFormed) == .warn && tag.status(of: .header) == .fail)
        #expect(tag.severity == .fail)
    }

    @Test func uncheckedOccurrence_hasNoSeverity() throws {
        let tag = try #require(Samples.decode(Samples.tag(Samples.data2015)))
        let occurrence = TagOccurrence(
            tag: tag, origin: .recording(TagPlace(source: "a")), time: nil, seconds: nil,
            carriage: .metadataBox)
        #expect(occurrence.problems == [] && occurrence.severity == .notRun)
        #expect(TagRule.allCases.allSatisfy { occurrence.status(of: $0) == .notRun })
    }
}

extension NielsenTag {
    /// The checks that the tag fails with the default limits.
    fileprivate var problems: [String] { TagPolicy().problems(of: self).map(\.rawValue) }
}
