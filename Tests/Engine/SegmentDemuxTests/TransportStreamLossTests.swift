import ID3v2
import LibAVDemux
import SegmentDemux
import Testing

/// Lost, duplicate and damaged packets, and tags that continue across segments.
@Suite struct TransportStreamLossTests {
    private typealias Builder = TransportStreamBuilder
    private let tag = SyntheticTag.nielsen(1)
    private let other = SyntheticTag.nielsen(2)
    private let third = SyntheticTag.nielsen(3)

    private func threeTags() -> Builder {
        var builder = Builder.withTables()
        builder.pes(tag, pts: 1)
        builder.pes(other, pts: 2)
        builder.pes(third, pts: 3)
        return builder
    }

    // MARK: Continuity

    @Test func secondPacket_lost_truncatesItsTag() throws {
        var builder = threeTags()
        let lost = builder.indices(of: 0x102)[3]
        builder.removePacket(at: lost)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag, Array(other.prefix(170)), third])
        #expect(segment.tags.map(\.completeness) == [.complete, .truncated(expected: 271), .complete])
        #expect(segment.tags.map(\.pts) == [1, 2, 3])
        #expect(segment.facts.truncatedPESCount == 1)
        #expect(segment.facts.lacksBytes)
        #expect(
            segment.facts.continuityErrors.first == [
                .init(offset: lost * 188, pid: 0x102, expected: 3, found: 4)
            ])
    }

    @Test func firstPacket_lost_isReported() throws {
        var builder = threeTags()
        let lost = builder.indices(of: 0x102)[2]
        builder.removePacket(at: lost)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag, third])
        #expect(
            segment.facts.continuityErrors.first == [
                .init(offset: lost * 188, pid: 0x102, expected: 2, found: 3)
            ])
        #expect(segment.facts.metadataPESCount == 2)
    }

    /// The end of one tag and the start of the next are lost: their remains are not joined.
    @Test func tags_aroundLostPackets_areNotJoined() throws {
        var builder = threeTags()
        let first = builder.indices(of: 0x102)[1]
        builder.removePacket(at: first)
        builder.removePacket(at: first)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [Array(tag.prefix(170)), third])
        #expect(segment.facts.truncatedPESCount == 1)
    }

    @Test func packet_lostInsideALongTag_truncatesTheTagThere() throws {
        let long = SyntheticTag.text(byteCount: 2000)
        var builder = Builder.withTables()
        builder.pes(long + tag, pts: 1)
        builder.pes(other, pts: 2)
        builder.removePacket(at: builder.indices(of: 0x102)[4])
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [Array(long.prefix(170 + 3 * 184)), tag, other])
        #expect(segment.tags.map(\.completeness) == [.truncated(expected: long.count), .complete, .complete])
    }

    @Test(arguments: 0..<6) func packet_repeated_isValid(which: Int) throws {
        var builder = threeTags()
        builder.repeatPacket(at: builder.indices(of: 0x102)[which])
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag, other, third])
        #expect(
            segment.tags.allSatisfy { $0.transport?.packetCount == 2 && $0.transport?.fillsPackets == true })
        #expect(segment.facts.repeatedPacketCount == 1)
        #expect(segment.facts.continuityErrors.count == 0)
    }

    /// The same counter with other bytes is not a duplicate: fifteen packets are missing.
    @Test func continuityCounter_repeatedWithOtherBytes_isAnError() throws {
        var builder = Builder.withTables()
        builder.pes(tag, pts: 1)
        builder.setCounter(of: 0x102, to: 1)
        builder.pes(other, pts: 2)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag, other])
        #expect(segment.facts.repeatedPacketCount == 0)
        #expect(segment.facts.continuityErrors.first.map(\.expected) == [2])
        #expect(segment.facts.continuityErrors.first.map(\.found) == [1])
    }

    @Test func continuityCounterJump_atADiscontinuityIndicator_isValid() throws {
        var builder = Builder.withTables()
        builder.pes(tag, pts: 1)
        builder.setCounter(of: 0x102, to: 9)
        let pes = Builder.pes(other, pts: 2)
        builder.packet(0x102, Array(pes.prefix(170)), startsUnit: true, isDiscontinuous: true)
        builder.packet(0x102, Array(pes.dropFirst(170)), startsUnit: false)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag, other])
        #expect(segment.facts.continuityErrors.count == 0)
    }

    @Test func continuityCounter_wrapsAtSixteen() throws {
        var builder = Builder.withTables()
        for number in 0..<20 { builder.pes(SyntheticTag.nielsen(number), pts: UInt64(number)) }
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == (0..<20).map(SyntheticTag.nielsen))
        #expect(segment.facts.continuityErrors.count == 0)
    }

    @Test func continuityErrors_beyondTheListLimit_areCounted() throws {
        var builder = Builder.withTables()
        for number in 0..<100 {
            builder.setCounter(of: 0x102, to: UInt8(number * 5 % 16))
            builder.pes(tag, pts: UInt64(number))
        }
        let facts = try demux(builder.bytes).facts
        #expect(facts.continuityErrors.count == 99)
        #expect(facts.continuityErrors.first.count == CarriageFacts.maximumListed)
    }

    @Test(arguments: [(1, 0x80, "transport.error-indicator"), (3, 0x80, "transport.scrambled")])
    func packet_scrambledOrMarkedErroneous_isIgnored(index: Int, bit: Int, rule: String) throws {
        var builder = threeTags()
        builder.changePacket(at: builder.indices(of: 0x102)[2]) { $0[index] |= UInt8(bit) }
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag, third])
        #expect(segment.facts.malformed.first.map(\.rule).contains(rule))
        #expect(segment.facts.continuityErrors.count == 1)
    }

    @Test func adaptationField_longerThanThePacket_isReported() throws {
        var builder = threeTags()
        builder.changePacket(at: builder.indices(of: 0x102)[3]) { $0[4] = 184 }
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.completeness) == [.complete, .truncated(expected: 271), .complete])
        #expect(segment.facts.malformed.first.map(\.rule) == ["transport.header"])
    }

    @Test func pes_withoutAStartCode_isReported() throws {
        var builder = threeTags()
        builder.changePacket(at: builder.indices(of: 0x102)[2]) { $0[6] = 0x02 }
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag, third])
        #expect(segment.facts.malformed.first.map(\.rule).contains("pes.start-code"))
    }

    // MARK: Over segments

    @Test(arguments: [1, 4, 5, 6, 12, 150, 169, 170, 171, 270])
    func tag_splitBetweenSegmentsByPES_isReturnedWithTheSecond(cut: Int) throws {
        var first = Builder.withTables()
        first.pes(tag, pts: 1)
        let offset = first.offset
        first.pes(Array(other.prefix(cut)), pts: 2)
        var second = Builder.withTables()
        second.pes(Array(other.dropFirst(cut)), pts: 3)
        second.pes(third, pts: 4)
        var demuxer = SegmentDemuxer()
        #expect(try demuxer.demux(first.bytes).tags.map(\.bytes) == [tag])
        let segment = try demuxer.demux(second.bytes)
        #expect(segment.tags.map(\.bytes) == [other, third])
        #expect(segment.tags.map(\.pts) == [2, 4])
        #expect(segment.tags.map(\.segmentIndex) == [0, 1])
        #expect(segment.tags.first?.offset == offset)
        #expect(segment.facts.truncatedPESCount == 0)
        #expect(segment.facts.malformed.count == 0)
    }

    /// The segments are split between the packets of one PES packet.
    @Test(arguments: [true, false]) func tag_splitBetweenSegmentsByPackets_isReturnedWithTheSecond(
        isBounded: Bool
    )
        throws
    {
        let long = SyntheticTag.text(byteCount: 1000)
        var whole = Builder.withTables()
        whole.pes(long, pts: 1, length: isBounded ? .exact : .zero)
        whole.pes(other, pts: 2)
        for cut in whole.indices(of: 0x102).dropFirst().prefix(5) {
            var demuxer = SegmentDemuxer()
            #expect(try demuxer.demux(Array(whole.bytes.prefix(cut * 188))).tags.isEmpty)
            let segment = try demuxer.demux(Array(whole.bytes.dropFirst(cut * 188)))
            #expect(segment.tags.map(\.bytes) == [long, other], "cut at packet \(cut)")
            #expect(segment.tags.map(\.pts) == [1, 2])
            #expect(segment.tags.map(\.segmentIndex) == [0, 1])
            #expect(segment.tags.map(\.completeness) == [.complete, .complete])
            #expect(segment.facts.malformed.count == 0)
        }
    }

    /// The header of the PES packet itself continues in the next segment.
    @Test(arguments: Array(1...14)) func pesHeader_splitBetweenSegments_isRead(cut: Int) throws {
        var whole = Builder.withTables()
        whole.pes(tag, pts: 31, sizes: [cut])
        whole.pes(other, pts: 32)
        let end = (whole.indices(of: 0x102)[0] + 1) * 188
        var demuxer = SegmentDemuxer()
        #expect(try demuxer.demux(Array(whole.bytes.prefix(end))).tags.isEmpty)
        let segment = try demuxer.demux(Array(whole.bytes.dropFirst(end)))
        #expect(segment.tags.map(\.bytes) == [tag, other])
        #expect(segment.tags.map(\.pts) == [31, 32])
        // The PES packet begins in the first segment, but its tag begins in the second.
        #expect(segment.tags.map(\.segmentIndex) == [1, 1])
    }

    /// The second tag of one PES packet is entirely in the next segment.
    @Test func secondTag_ofAPESSplitBetweenSegments_hasThePESTime() throws {
        var whole = Builder.withTables()
        let exact = SyntheticTag.tag(id: "PRIV", [UInt8](repeating: 0x61, count: 170 - 20))
        whole.pes(exact + tag, pts: 5)
        let cut = (whole.indices(of: 0x102)[0] + 1) * 188
        var demuxer = SegmentDemuxer()
        #expect(try demuxer.demux(Array(whole.bytes.prefix(cut))).tags.map(\.bytes) == [exact])
        let segment = try demuxer.demux(Array(whole.bytes.dropFirst(cut)))
        #expect(segment.tags.map(\.bytes) == [tag])
        #expect(segment.tags.map(\.pts) == [5])
    }

    @Test func tag_notContinued_isTruncatedAtTheNextTag() throws {
        var first = Builder.withTables()
        first.pes(Array(tag.prefix(100)), pts: 1)
        var second = Builder.withTables()
        second.pes(other, pts: 2)
        var demuxer = SegmentDemuxer()
        #expect(try demuxer.demux(first.bytes).tags.isEmpty)
        let segment = try demuxer.demux(second.bytes)
        #expect(segment.tags.map(\.bytes) == [Array(tag.prefix(100)), other])
        #expect(segment.tags.map(\.completeness) == [.truncated(expected: 271), .complete])
        #expect(segment.tags.map(\.segmentIndex) == [0, 1])
        #expect(segment.facts.truncatedPESCount == 1)
    }

    /// Every length at which a tag may be truncated: only the available bytes are returned, as a truncated tag.
    @Test(arguments: [
        SyntheticTag.nielsen(1), Array("ID3".utf8) + [4, 0, 0xC2] + [UInt8](repeating: 0xC2, count: 265),
    ])
    func tag_truncatedAtEachLength_reportsItsExpectedSize(bytes: [UInt8]) throws {
        for count in 1..<bytes.count {
            var builder = Builder.withTables()
            builder.pes(Array(bytes.prefix(count)), pts: 1)
            var demuxer = SegmentDemuxer()
            #expect(try demuxer.demux(builder.bytes).tags.isEmpty)
            let tags = demuxer.finish()
            #expect(tags.count <= 1)
            for tag in tags {
                #expect(tag.bytes == Array(bytes.prefix(count)))
                #expect(tag.completeness == .truncated(expected: count < 10 ? 10 : 271))
            }
            #expect(tags.isEmpty == (count < 3 || count >= 10 && bytes[5] == 0xC2))
        }
    }

    @Test func tag_openAtADiscontinuity_isNotContinued() throws {
        var first = Builder.withTables()
        first.pes(Array(tag.prefix(100)), pts: 1)
        var second = Builder.withTables()
        second.pes(Array(tag.dropFirst(100)), pts: 2)
        second.pes(other, pts: 3)
        var demuxer = SegmentDemuxer()
        #expect(try demuxer.demux(first.bytes).tags.isEmpty)
        let segment = try demuxer.demux(second.bytes, isDiscontinuous: true)
        #expect(segment.tags.map(\.completeness) == [.truncated(expected: 271), .complete])
        #expect(segment.tags.map(\.segmentIndex) == [0, 1])
        #expect(segment.facts.truncatedPESCount == 1)
    }

    @Test func tag_openAtTheEnd_isReturnedByFinish() throws {
        var first = Builder.withTables()
        first.pes(Array(tag.prefix(100)), pts: 1)
        var demuxer = SegmentDemuxer()
        #expect(try demuxer.demux(first.bytes).tags.isEmpty)
        let tags = demuxer.finish()
        #expect(tags.map(\.bytes) == [Array(tag.prefix(100))])
        #expect(tags.map(\.completeness) == [.truncated(expected: 271)])
        #expect(demuxer.finish().isEmpty)
    }

    /// Segments with and without a tag in turn: the library's context persists across all of them.
    @Test func manySegments_eachYieldTheirTagAtItsTime() throws {
        var demuxer = SegmentDemuxer()
        for index in 0..<50 {
            var builder = Builder.withTables()
            builder.audio(pts: UInt64(index) * 1000)
            if index % 3 != 0 { builder.pes(SyntheticTag.nielsen(index), pts: UInt64(index) * 1000 + 7) }
            let segment = try demuxer.demux(builder.bytes, isDiscontinuous: index % 10 == 9)
            #expect(segment.tags.map(\.bytes) == (index % 3 != 0 ? [SyntheticTag.nielsen(index)] : []))
            #expect(
                segment.tags.allSatisfy { $0.pts == UInt64(index) * 1000 + 7 && $0.segmentIndex == index })
            #expect(segment.facts.unreportedPESCount == 0)
        }
    }

    /// The audio of the previous segment precedes a tag at the start of a segment, unless the clock restarts.
    @Test(arguments: [false, true]) func precedingMediaTime_atASegmentStart_isThatOfThePreviousSegment(
        isDiscontinuous: Bool
    ) throws {
        var first = Builder.withTables()
        first.audio(pts: 77)
        var second = Builder.withTables()
        second.pes(tag, pts: 80)
        var demuxer = SegmentDemuxer()
        _ = try demuxer.demux(first.bytes)
        let segment = try demuxer.demux(second.bytes, isDiscontinuous: isDiscontinuous)
        #expect(segment.tags.first?.transport?.precedingMediaTime?.ticks == (isDiscontinuous ? nil : 77))
    }
}
