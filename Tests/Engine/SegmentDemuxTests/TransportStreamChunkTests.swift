import ID3v2
import LibAVDemux
import SegmentDemux
import Testing

/// The same bytes give the same tags and facts, regardless of the chunks.
@Suite struct TransportStreamChunkTests {
    private typealias Builder = TransportStreamBuilder

    /// A stream with front tags, garbage, losses, duplicates, a late change of tables and a truncated end.
    private static let odd: [UInt8] = {
        var builder = Builder()
        builder.audio(pts: 5)
        builder.tables()
        builder.audio(pts: 10)
        builder.pes(SyntheticTag.nielsen(1) + SyntheticTag.text(byteCount: 300), pts: 11)
        builder.video(pts: 12)
        builder.pes(SyntheticTag.nielsen(2), pts: 13)
        builder.repeatPacket(at: builder.packets.count - 1)
        builder.pes(SyntheticTag.nielsen(3), pts: 14, sizes: [3, 9])
        builder.removePacket(at: builder.packets.count - 1)
        builder.pes(Array(SyntheticTag.nielsen(4).prefix(90)), pts: 15)
        let early = builder.bytes
        builder.pes(Array(SyntheticTag.nielsen(4).dropFirst(90)), pts: 16)
        for index in 0..<7 { builder.audio(pts: 20 + UInt64(index)) }
        builder.tables([.audio, .init(type: 0x15, pid: 0x133)], version: 3)
        builder.pes(SyntheticTag.nielsen(5), pts: 30, pid: 0x133, length: .zero)
        let garbage = (0..<277).map { UInt8($0 * 7 % 251) }
        return SyntheticTag.timestamp(90_000) + SyntheticTag.nielsen(0) + early + garbage
            + builder.bytes.dropFirst(early.count) + [0x47, 0x01, 0x33]
    }()

    private static let timeCoded: [UInt8] = {
        var builder = Builder.withTables()
        for index in 0..<9 { builder.pes(SyntheticTag.nielsen(index), pts: UInt64(index)) }
        return builder.timeCodedBytes
    }()

    @Test func irregularStream_unsplit_isDemuxedAsExpected() throws {
        let segment = try demux(Self.odd)
        #expect(segment.tags.map(\.pts) == [90_000, 90_000, 11, 11, 13, 14, 15, 30])
        #expect(segment.tags.filter { $0.completeness != .complete }.map(\.pts) == [14])
        #expect(
            segment.facts.malformed.first.map(\.rule) == [
                "transport.sync-lost", "transport.packet-truncated",
            ])
        #expect(segment.facts.continuityErrors.count == 1)
        #expect(segment.facts.repeatedPacketCount == 1)
    }

    @Test(arguments: Array(1...400)) func transportStream_inChunksOfEachSize_isDemuxedIdentically(size: Int)
        throws
    {
        #expect(try demux(Self.odd, chunk: size) == demux(Self.odd))
        #expect(try demux(Self.timeCoded, chunk: size) == demux(Self.timeCoded))
    }

    @Test(arguments: UInt64(0)..<200) func transportStream_inRandomChunks_isDemuxedIdentically(seed: UInt64)
        throws
    {
        var random = SplitMix(state: seed)
        for bytes in [Self.odd, Self.timeCoded] {
            var demuxer = SegmentDemuxer()
            demuxer.beginSegment()
            var position = 0
            while position < bytes.count {
                let next = min(bytes.count, position + Int(random.next() % (seed % 2 == 0 ? 40 : 3000)))
                try demuxer.feed(Array(bytes[position..<next]).span)
                position = next
            }
            #expect(try demuxer.endSegment() == demux(bytes))
        }
    }

    /// Every place at which a stream may be split into two segments: no tag is lost or duplicated.
    @Test func segments_splitAtEachPacket_yieldTheSameTags() throws {
        var builder = Builder.withTables()
        for index in 0..<6 {
            builder.audio(pts: UInt64(index) * 100)
            builder.pes(SyntheticTag.nielsen(index), pts: UInt64(index) * 100 + 1, stuffing: index * 3)
        }
        let whole = try demux(builder.bytes).tags
        // After a split before the PMT, the first segment has no tags, and both tables are known only in the second.
        for cut in 1..<builder.packets.count {
            var demuxer = SegmentDemuxer()
            let first = try demuxer.demux(Array(builder.bytes.prefix(cut * 188))).tags
            let second = try demuxer.demux(Array(builder.bytes.dropFirst(cut * 188))).tags
            let all = first + second + demuxer.finish()
            #expect(all.map(\.bytes) == whole.map(\.bytes), "cut at packet \(cut)")
            #expect(all.map(\.pts) == whole.map(\.pts))
            #expect(all.map(\.transport?.packetCount) == whole.map(\.transport?.packetCount))
            #expect(all.map(\.transport?.precedingMediaTime) == whole.map(\.transport?.precedingMediaTime))
        }
    }

    /// A stream that is split while it is fed, as standard input is: tags, facts and bytes are unchanged.
    @Test(arguments: [1, 188, 700, 4_096, 100_000], [1, 3, 100])
    func stream_splitWhileFed_yieldsTheSameTags(chunk: Int, tagCount: Int) throws {
        var builder = Builder.withTables()
        for index in 0..<40 {
            builder.audio(pts: UInt64(index) * 90_000)
            builder.pes(SyntheticTag.nielsen(index), pts: UInt64(index) * 90_000 + 1, stuffing: index % 4)
        }
        let whole = try demux(builder.bytes)
        var demuxer = SegmentDemuxer()
        demuxer.beginSegment()
        var parts: [DemuxedSegment] = []
        for start in stride(from: 0, to: builder.bytes.count, by: chunk) {
            let end = min(builder.bytes.count, start + chunk)
            try demuxer.feed(builder.bytes.span.extracting(start..<end))
            if let part = try demuxer.splitSegment(atSeconds: 8, orTagCount: tagCount) { parts.append(part) }
        }
        parts.append(try demuxer.endSegment())
        #expect(parts.count >= (chunk < 1_000 ? 40 / max(8, tagCount) : 1))
        let tags = parts.flatMap(\.tags)
        #expect(tags.map(\.bytes) == whole.tags.map(\.bytes))
        #expect(tags.map(\.pts) == whole.tags.map(\.pts))
        #expect(tags.map(\.transport) == whole.tags.map(\.transport))
        #expect(parts.reduce(0) { $0 + $1.facts.byteCount } == UInt64(builder.bytes.count))
        #expect(parts.reduce(0) { $0 + $1.facts.malformed.count } == 0)
        #expect(parts.first?.facts.earliestMediaTime == whole.facts.earliestMediaTime)
        if chunk == 188, tagCount == 1 { #expect(parts.dropFirst().allSatisfy { $0.tags.count <= 1 }) }
        #expect(demuxer.finish().isEmpty)
    }
}

/// A small generator of numbers that are the same in every run (Steele, Lea, Flood: SplitMix64).
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
