import ID3v2
import SegmentDemux
import Testing

/// Tags in PES packets: lengths, boundaries, stream ids and metadata cells.
@Suite struct PESCarriageTests {
    private typealias Builder = TransportStreamBuilder
    private let tag = SyntheticTag.nielsen(1)
    private let other = SyntheticTag.nielsen(2)

    // MARK: PES packets and tags

    @Test func tags_severalInOnePES_allHaveItsTime() throws {
        var builder = Builder.withTables()
        builder.pes(tag + SyntheticTag.text(byteCount: 40) + other, pts: 7)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag, SyntheticTag.text(byteCount: 40), other])
        #expect(segment.tags.allSatisfy { $0.pts == 7 && $0.transport?.fillsPackets == false })
        #expect(segment.facts.metadataPESCount == 1)
    }

    /// The tag is split over two PES packets after `cut` bytes, in one segment; its time is that of the first packet.
    @Test(arguments: Array(1...270)) func tag_acrossTwoPES_isComplete(cut: Int) throws {
        var builder = Builder.withTables()
        builder.pes(Array(tag.prefix(cut)), pts: 10)
        builder.audio(pts: 11)
        builder.pes(Array(tag.dropFirst(cut)), pts: 12)
        builder.pes(other, pts: 13)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag, other])
        #expect(segment.tags.map(\.pts) == [10, 13])
        #expect(segment.facts.truncatedPESCount == 0)
        #expect(segment.facts.malformed.count == 0)
        #expect(segment.tags.first?.transport?.fillsPackets == true)
        // The first transport packet has 170 bytes of payload after the 14 bytes of the PES header.
        #expect(segment.tags.first?.transport?.packetCount == (cut > 170 || cut < 101 ? 3 : 2))
    }

    @Test func tag_acrossManyPES_isComplete() throws {
        let long = SyntheticTag.text(byteCount: 150_000)
        var builder = Builder.withTables()
        for start in stride(from: 0, to: long.count, by: 20_000) {
            builder.pes(Array(long[start..<min(start + 20_000, long.count)]), pts: UInt64(start))
        }
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [long])
        #expect(segment.tags.map(\.pts) == [0])
    }

    @Test func pes_ofLengthZero_endsAtTheNextPESOrSegmentEnd() throws {
        var builder = Builder.withTables()
        builder.pes(tag, pts: 1, length: .zero)
        builder.pes(other, pts: 2, length: .zero)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag, other])
        #expect(segment.tags.allSatisfy { $0.transport?.fillsPackets == true })
    }

    @Test func pes_longerThanTheLibavformatLimit_isNotSplit() throws {
        let long = SyntheticTag.text(byteCount: 500_000)
        var builder = Builder.withTables()
        builder.pes(long + tag, pts: 1, length: .zero)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [long, tag])
        #expect(segment.facts.malformed.count == 0)
    }

    @Test(arguments: [0x00, 0xFF] as [UInt8]) func padding_afterATag_isNotMalformed(byte: UInt8) throws {
        var builder = Builder.withTables()
        builder.pes(tag + [UInt8](repeating: byte, count: 60) + other + [byte], pts: 1)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag, other])
        #expect(segment.facts.malformed.count == 0)
        #expect(segment.tags.first?.transport?.fillsPackets == false)
    }

    @Test func garbage_beforeATag_isReportedAndSkipped() throws {
        var builder = Builder.withTables()
        let offset = builder.offset
        builder.pes(Array("garbage".utf8) + tag, pts: 1)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag])
        #expect(segment.facts.malformed.first == [.init(offset: offset, length: 7, rule: .tagExpected)])
    }

    /// More malformed tags than are listed: the list is limited, the count is not.
    @Test(arguments: [63, 64, 65, 200]) func malformedTags_beyondThoseListed_areCounted(count: Int) throws {
        var builder = Builder.withTables()
        for index in 0..<count { builder.pes([UInt8](repeating: 0x20, count: 7), pts: UInt64(index)) }
        let malformed = try demux(builder.bytes).facts.malformed
        #expect(malformed.count == count)
        #expect(malformed.tags.count == count)
        #expect(malformed.first.count == min(count, CarriageFacts.maximumListed))
    }

    @Test func pts_missing_isCountedOncePerPES() throws {
        var builder = Builder.withTables()
        builder.pes(tag + other, pts: nil)
        builder.pes(other, pts: 5)
        builder.pes([0xFF, 0xFF], pts: nil)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.pts) == [nil, nil, 5])
        #expect(segment.facts.missingPTSCount == 1)
    }

    /// libavformat 59 returns no packet for the first PES packet.
    @Test func pes_ofExactlyFivePayloadBytes_losesNothing() throws {
        var builder = Builder.withTables()
        builder.pes(Array(tag.prefix(5)), pts: 21)
        builder.pes(Array(tag.dropFirst(5)), pts: 22)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag])
        #expect(segment.tags.map(\.pts) == [21])
        #expect(segment.facts.unreportedPESCount <= 1)
        #expect(segment.facts.metadataPESCount == 2)
    }

    /// Every position at which the PES header or the first bytes of the tag may be split across packets.
    @Test(arguments: Array(1...60)) func pesHeader_acrossTwoPackets_isRead(cut: Int) throws {
        var builder = Builder.withTables()
        builder.pes(tag, pts: 31, stuffing: 20, sizes: [cut])
        builder.pes(other, pts: 32, sizes: [cut, 1, 1])
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag, other])
        #expect(segment.tags.map(\.pts) == [31, 32])
        #expect(segment.facts.malformed.count == 0)
        #expect(segment.facts.unreportedPESCount == 0)
    }

    @Test(arguments: Array(stride(from: 0, through: 250, by: 1)))
    func pesHeader_ofEveryLength_isRead(stuffing: Int) throws {
        var builder = Builder.withTables()
        builder.pes(tag, pts: 31, stuffing: stuffing)
        builder.pes(other, pts: 32, length: .zero, stuffing: stuffing)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag, other])
        #expect(segment.tags.map(\.pts) == [31, 32])
        #expect(segment.facts.malformed.count == 0)
    }

    /// A PES_packet_length smaller than the tag: the bytes after it are still on the PID.
    @Test func pesLength_tooSmall_losesNoTag() throws {
        var builder = Builder.withTables()
        builder.pes(tag, pts: 31, length: .value(150))
        builder.pes(other, pts: 32)
        #expect(try demux(builder.bytes).tags.map(\.bytes) == [tag, other])
    }

    @Test func pesLength_tooLarge_losesNoTag() throws {
        var builder = Builder.withTables()
        builder.pes(tag, pts: 31, length: .value(5000))
        builder.pes(other, pts: 32)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag, other])
        #expect(segment.tags.map(\.pts) == [31, 32])
    }

    // MARK: Stream ids

    @Test(arguments: [0xBD, 0x0D, 0xFC] as [UInt8]) func bareTag_underEachStreamID_isRead(id: UInt8) throws {
        var builder = Builder.withTables()
        builder.pes(tag, pts: 41, streamID: id)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag])
        #expect(segment.tags.first?.transport?.streamID == id)
    }

    /// Returns a cell: service id, sequence number, fragmentation, length (table 2-97), bytes.
    private func cell(_ bytes: [UInt8], _ cut: UInt8 = 0b11) -> [UInt8] {
        [0x00, 0x01, cut << 6 | 0x1F] + Builder.two(UInt16(bytes.count)) + bytes
    }

    @Test func cells_inStream0xFC_haveOnlyTheirHeadersRemoved() throws {
        var builder = Builder.withTables()
        builder.pes(cell(tag), pts: 41, streamID: 0xFC)
        builder.pes(cell(tag) + cell(other), pts: 42, streamID: 0xFC)
        builder.pes(
            cell(Array(tag.prefix(100)), 0b10) + cell(Array(tag.dropFirst(100)), 0b01), pts: 43,
            streamID: 0xFC)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag, tag, other, tag])
        #expect(segment.tags.map(\.pts) == [41, 42, 42, 43])
        #expect(segment.tags.first?.transport?.fillsPackets == true)
        #expect(segment.facts.malformed.count == 0)
    }

    @Test func tag_inCellsAcrossSeveralPES_isReassembled() throws {
        var builder = Builder.withTables()
        builder.pes(cell(Array(tag.prefix(100)), 0b10), pts: 41, streamID: 0xFC)
        builder.pes(cell(Array(tag[100..<150]), 0b00), pts: 42, streamID: 0xFC)
        builder.pes(cell(Array(tag.dropFirst(150)), 0b01), pts: 43, streamID: 0xFC)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag])
        #expect(segment.tags.map(\.pts) == [41])
    }

    /// The length of a cell includes lost bytes, so it does not apply after a loss.
    @Test func cell_withALostPacket_leavesTheNextTagIntact() throws {
        let long = SyntheticTag.text(byteCount: 2000)
        var builder = Builder.withTables()
        builder.pes(cell(long) + cell(tag), pts: 41, streamID: 0xFC)
        builder.pes(cell(other), pts: 42, streamID: 0xFC)
        builder.removePacket(at: builder.indices(of: 0x102)[4])
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [Array(long.prefix(165 + 3 * 184)), tag, other])
        #expect(segment.tags.map(\.completeness) == [.truncated(expected: long.count), .complete, .complete])
    }

    /// Five bytes that could be a cell header count as one only if a tag, or the rest of one, follows.
    @Test func cellHeader_notFollowedByATag_isGarbage() throws {
        for (header, length) in [
            ([0x00, 0x01, 0xDF, 0x01, 0x10, 0x20], 6), ([0x00, 0x01, 0xDF, 0x00, 0x00], 5),
        ]
            as [([UInt8], Int)]
        {
            var builder = Builder.withTables()
            builder.pes(header + tag, pts: 41, streamID: 0xFC)
            let segment = try demux(builder.bytes)
            #expect(segment.tags.map(\.bytes) == [tag])
            #expect(segment.facts.malformed.first.map(\.length) == [length])
        }
    }

    /// A bare tag while the rest of another tag is expected: its first five bytes are not a cell header.
    @Test func bareTag_whileACellIsOpen_staysIntact() throws {
        var builder = Builder.withTables()
        builder.pes(cell(Array(tag.prefix(100)), 0b10), pts: 41, streamID: 0xFC)
        builder.pes(other, pts: 42, streamID: 0xFC)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [Array(tag.prefix(100)), other])
        #expect(segment.tags.map(\.pts) == [41, 42])
    }

    /// With another stream id, five bytes that look like a cell header are not removed.
    @Test func cellHeader_inStream0xBD_isGarbage() throws {
        var builder = Builder.withTables()
        builder.pes(cell(tag), pts: 41)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag])
        #expect(segment.facts.malformed.first.map(\.length) == [5])
    }
}
