import ID3v2
import LibAVDemux
import Testing

@testable import SegmentDemux

/// Streams, tables and timestamps that ISO/IEC 13818-1 and players accept.
@Suite struct LenientMapTests {
    private typealias Builder = TransportStreamBuilder
    private let tag = SyntheticTag.nielsen(1)
    private let other = SyntheticTag.nielsen(2)
    private static let pids = Array(UInt16(0x10)...0x1F) + [0x20, 0x1FFE]

    private func stream(on pid: UInt16) -> [Builder.Stream] {
        [.audio, .init(type: 0x15, pid: pid, descriptors: Builder.metadataDescriptor)]
    }

    /// A table of DVB in one packet, with a pointer field.
    private static let table: [UInt8] = [0, 0x42] + [UInt8](repeating: 0x11, count: 100)

    @Test(arguments: pids) func elementaryStream_onAnyFreePID_isRead(pid: UInt16) throws {
        var builder = Builder()
        builder.tables(stream(on: pid))
        builder.pes(tag, pts: 1, pid: pid)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag])
        #expect(segment.tags.map(\.pid) == [pid])
    }

    /// The tables follow the stream, in the same segment or only in the previous one.
    @Test(arguments: pids, [true, false]) func elementaryStream_beforeItsTables_isRead(
        pid: UInt16, isFirst: Bool
    ) throws {
        var tables = Builder()
        tables.tables(stream(on: pid))
        var builder = Builder()
        builder.pes(tag, pts: 1, pid: pid)
        builder.pes(other, pts: 2, pid: pid)
        var demuxer = SegmentDemuxer()
        if !isFirst { _ = try demuxer.demux(tables.bytes) }
        let segment = try demuxer.demux(builder.bytes + (isFirst ? tables.bytes : []))
        #expect(segment.tags.map(\.bytes) == [tag, other])
    }

    /// Tables of DVB neither wait for the map nor make a segment depend on the previous one.
    @Test func broadcastTables_beforeThePAT_doNotMatter() throws {
        var builder = Builder()
        for pid in UInt16(0x10)...0x1F {
            builder.payload(pid, Self.table, filler: .trailing)
            builder.payload(pid, Self.table, startsUnit: false, filler: .trailing)
        }
        builder.tables()
        builder.pes(tag, pts: 1)
        var filter = SegmentFilter()
        filter.feed(builder.bytes.span)
        let mustBeReadInOrder = filter.mustBeReadInOrder
        #expect(!mustBeReadInOrder)
        #expect(try demux(builder.bytes).tags.map(\.bytes) == [tag])
    }

    /// A private section of each length precedes the PMT on its PID, with and without a CRC.
    @Test(arguments: [3, 8, 12, 200, 1_021, 1_500, 4_096], [0xC0, 0x40, 0x01] as [UInt8])
    func privateSection_beforeThePMT_isSkipped(byteCount: Int, table: UInt8) throws {
        var builder = Builder()
        builder.pat([(1, Builder.pmtPID)])
        let size = UInt16(byteCount - 3)
        let section = [table] + Builder.two(0x3000 | size) + [UInt8](repeating: 0x22, count: byteCount - 3)
        builder.section(Builder.pmtPID, section)
        builder.section(
            Builder.pmtPID, Builder.pmtSection(1, [.audio, .metadata], Builder.pointerDescriptor, 0))
        builder.pes(tag, pts: 1)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag])
        #expect(segment.facts.malformed.count == 0)
    }

    @Test(arguments: [0, 1, 2, 1 << 20, (1 << 31) - 1] as [UInt64])
    func appleTimestamp_withUpperBits_hasItsLow33Bits(upper: UInt64) throws {
        let pts = upper << 33 | 0x1_FFFF_FFF0
        let frame = PackedAudioDemuxerTests.adts()
        let packed = try demux(timestampTag(pts) + tag + frame + other + frame)
        #expect(packed.tags.map(\.pts) == [0x1_FFFF_FFF0, 0x1_FFFF_FFF0, 1_904])
        var builder = Builder.withTables()
        for index in 0..<6 { builder.audio(pts: UInt64(index)) }
        #expect(
            try demux(timestampTag(pts) + tag + builder.bytes).tags.map(\.pts) == [
                0x1_FFFF_FFF0, 0x1_FFFF_FFF0,
            ])
    }

    @Test func appleTimestamp_ofAnotherLength_isReadFromEightBytes() throws {
        let owner = "com.apple.streaming.transportStreamTimestamp"
        let frame = PackedAudioDemuxerTests.adts()
        func times(_ data: [UInt8]) throws -> [UInt64?] {
            try demux(privateTag(owner: owner, data: data) + tag + frame).tags.map(\.pts)
        }
        #expect(try times([]) == [nil, nil])
        #expect(try times([0, 0, 0, 0, 0, 0, 7]) == [nil, nil])
        #expect(try times([0, 0, 0, 0, 0, 0, 0, 7, 9]) == [7, 7])
        #expect(try times([UInt8](repeating: 0xFF, count: 8)) == [(1 << 33) - 1, (1 << 33) - 1])
    }
}
