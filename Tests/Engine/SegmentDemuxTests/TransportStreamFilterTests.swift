import ID3v2
import Testing

@testable import SegmentDemux

/// The filter stage alone: the packets that it passes, and the program map that it needs.
@Suite struct TransportStreamFilterTests {
    private typealias Builder = TransportStreamBuilder
    private let tag = SyntheticTag.nielsen(1)

    private func filter(
        _ bytes: [UInt8], map: ProgramMap = ProgramMap(), limits: DemuxLimits = DemuxLimits()
    ) -> FilteredPackets {
        var filter = TransportStreamFilter(map: map, limits: limits)
        filter.feed(bytes.span)
        return filter.finish()
    }

    @Test func mediaPackets_areFilteredOut() {
        var builder = Builder.withTables()
        for index in 0..<100 {
            builder.video(pts: UInt64(index))
            builder.audio(pts: UInt64(index))
        }
        builder.pes(tag, pts: 1)
        builder.tables()
        let segment = filter(builder.bytes)
        #expect(segment.entries.map(\.content) == [.tables, .tables, .metadata, .metadata])
        let passed: [Int] = [0, 1, 302, 303]
        #expect(segment.packets == passed.flatMap { builder.packets[$0] })
        #expect(segment.lastMediaTimes == [1: 99])
        #expect(!segment.needsEarlierMap)
    }

    /// With a known map, the same tables do not pass again.
    @Test func unchangedTables_areFilteredOut() {
        let map = filter(Builder.withTables().bytes).mapAtEnd
        #expect(map.isComplete)
        var builder = Builder.withTables()
        builder.pes(tag, pts: 1)
        let segment = filter(builder.bytes, map: map)
        #expect(segment.entries.map(\.content) == [.metadata, .metadata])
        #expect(segment.mapAtStart == map)
        #expect(segment.mapAtEnd == map)
    }

    @Test func segment_withoutMetadata_isNotDemuxed() {
        var builder = Builder.withTables()
        builder.video(pts: 1)
        #expect(!filter(builder.bytes).hasMetadata)
    }

    /// A segment that begins with tables gives the same result with and without the map of the previous segment.
    @Test func segment_beginningWithTables_needsNoEarlierMap() {
        var builder = Builder()
        // In many streams, the tables of service and network names precede the PAT.
        builder.section(0x11, Builder.section(0x42, 1, 0, 0, 0, [1, 2, 3, 4]))
        builder.tables()
        builder.video(pts: 1)
        builder.pes(tag, pts: 1)
        let alone = filter(builder.bytes)
        #expect(!alone.needsEarlierMap)
        let map = alone.mapAtEnd
        let informed = filter(builder.bytes, map: map)
        #expect(!informed.needsEarlierMap)
        #expect(
            informed.entries.filter { $0.content != .tables }
                == alone.entries.filter { $0.content != .tables })
        #expect(informed.facts == alone.facts)
    }

    @Test(arguments: [false, true]) func segment_withMediaBeforeItsTables_needsAnEarlierMap(knowsMap: Bool) {
        let map = filter(Builder.withTables().bytes).mapAtEnd
        var builder = Builder()
        builder.video(pts: 1)
        builder.tables()
        builder.pes(tag, pts: 1)
        #expect(filter(builder.bytes, map: knowsMap ? map : ProgramMap()).needsEarlierMap)
    }

    @Test func segment_withoutTables_needsAnEarlierMap() {
        let map = filter(Builder.withTables().bytes).mapAtEnd
        var builder = Builder()
        builder.pes(tag, pts: 1)
        #expect(filter(builder.bytes, map: map).needsEarlierMap)
        #expect(filter(builder.bytes).needsEarlierMap)
        #expect(filter(builder.bytes, map: map).entries.map(\.content) == [.metadata, .metadata])
        #expect(filter(builder.bytes).entries.map(\.content) == [.candidate, .candidate])
    }

    @Test func unmappedPackets_beyondTheLimit_areCountedAsDropped() {
        var builder = Builder()
        for index in 0..<50 { builder.audio(pts: UInt64(index)) }
        var limits = DemuxLimits()
        limits.maximumUnmappedByteCount = 10 * 188
        let segment = filter(builder.bytes, limits: limits)
        #expect(segment.entries.count == 10)
        #expect(
            segment.facts.malformed.first == [
                .init(offset: 1880, length: 0, rule: .noProgramMap)
            ])
    }

    @Test func partsDrainedBetweenFeeds_addUpToTheSegment() {
        var builder = Builder.withTables()
        for index in 0..<20 { builder.pes(SyntheticTag.nielsen(index), pts: UInt64(index)) }
        let whole = filter(builder.bytes)
        var filter = TransportStreamFilter()
        var packets: [UInt8] = []
        var entries: [FilteredPacket] = []
        for packet in builder.packets {
            filter.feed(packet.span)
            let part = filter.drainPassed()
            packets += part.packets
            entries += part.entries
        }
        let last = filter.finish()
        #expect(packets + last.packets == whole.packets)
        #expect(entries + last.entries == whole.entries)
        #expect(last.facts == whole.facts)
    }

    /// Segments that are filtered independently, and again only if they need the earlier map, give the same result as
    /// segments fed in order.
    @Test func segments_filteredIndependently_areDemuxedAsInOrder() throws {
        var segments: [[UInt8]] = []
        for index in 0..<8 {
            var builder = Builder()
            // Every third segment has no tables, and another third has them after its first packets.
            if index % 3 == 1 { builder.audio(pts: UInt64(index) * 100) }
            if index % 3 != 2 { builder.tables(version: UInt8(index / 3)) }
            builder.audio(pts: UInt64(index) * 100 + 1)
            builder.pes(SyntheticTag.nielsen(index), pts: UInt64(index) * 100 + 2)
            builder.pes(Array(SyntheticTag.nielsen(index + 50).prefix(120)), pts: UInt64(index) * 100 + 3)
            segments.append(builder.bytes)
        }
        var inOrder = TransportStreamDemuxer(limits: DemuxLimits(), library: nil)
        var apart = TransportStreamDemuxer(limits: DemuxLimits(), library: nil)
        var repeatCount = 0
        for (index, bytes) in segments.enumerated() {
            let expected = try inOrder.segment(bytes, index: index, isDiscontinuous: index == 5)
            #expect(expected.tags.contains { $0.bytes == SyntheticTag.nielsen(index) })
            apart.beginSegment(index: index, isDiscontinuous: index == 5)
            var filtered = filter(bytes)
            if filtered.needsEarlierMap {
                filtered = filter(bytes, map: apart.map)
                repeatCount += 1
            }
            #expect(try apart.endSegment(filtered) == expected)
        }
        #expect(repeatCount == 5)
    }

    @Test func programs_beyondTheLimit_areNotFollowed() {
        var builder = Builder()
        builder.pat((1...5).map { (UInt16($0), UInt16(0x1000 + $0)) })
        var limits = DemuxLimits()
        limits.maximumProgramCount = 3
        #expect(filter(builder.bytes, limits: limits).mapAtEnd.programs.map(\.number) == [1, 2, 3])
    }
}

/// The positions at which packets are found or not found.
@Suite struct PacketSyncTests {
    @Test(arguments: [188, 192, 204]) func sync_isFoundAtEachOffset(stride: Int) {
        for offset in 0..<stride {
            var bytes = [UInt8](repeating: 0x00, count: offset + 6 * stride)
            for index in 0..<6 { bytes[offset + index * stride] = 0x47 }
            guard
                case .found(let sync) = PacketSync.search(bytes.span, from: 0, isEnd: false, preferring: 188)
            else {
                Issue.record("no packet found at \(offset)")
                continue
            }
            #expect(sync == PacketSync(offset: offset, stride: stride))
        }
    }

    /// With too few bytes to decide, the search waits, except at the end of a segment.
    @Test func sync_withTooFewBytes_isUndecidedBeforeTheEnd() {
        var bytes = [UInt8](repeating: 0x00, count: 188 * 2)
        bytes[0] = 0x47
        bytes[188] = 0x47
        guard
            case .undecided(let from) = PacketSync.search(bytes.span, from: 0, isEnd: false, preferring: 188)
        else {
            Issue.record("decided on too few bytes")
            return
        }
        #expect(from == 0)
        #expect(PacketSync.stride(bytes.span, at: 0, preferring: 188) == 188)
        bytes[188] = 0x46
        #expect(PacketSync.stride(bytes.span, at: 0, preferring: 188) == nil)
    }

    @Test func search_ofBytesWithoutPackets_endsAtTheirEnd() {
        for byte in [0x00, 0x46, 0xFF] as [UInt8] {
            let bytes = [UInt8](repeating: byte, count: 5000)
            guard
                case .undecided(let from) = PacketSync.search(
                    bytes.span, from: 0, isEnd: true, preferring: 188)
            else {
                Issue.record("found packets in \(byte)")
                continue
            }
            #expect(from == 5000)
        }
    }
}
