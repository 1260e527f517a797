import ID3v2
import Testing

@testable import SegmentDemux

/// Counters that are wrong although no packet is missing, and packets that are missing beside them.
@Suite struct ContinuityTests {
    private typealias Builder = TransportStreamBuilder
    private let tags = (0..<4).map(SyntheticTag.nielsen)

    /// Writes the tags in two packets each, and gives the packets of the ID3 stream the counters of `counter`.
    private func stream(_ counter: (Int) -> Int) -> Builder {
        var builder = Builder.withTables()
        for (index, tag) in tags.enumerated() { builder.pes(tag, pts: UInt64(index)) }
        for (index, packet) in builder.indices(of: 0x102).enumerated() {
            builder.changePacket(at: packet) { $0[3] = $0[3] & 0xF0 | UInt8(counter(index) & 0x0F) }
        }
        return builder
    }

    @Test(arguments: 0..<16) func counter_thatStandsStill_losesNothing(value: Int) throws {
        let segment = try demux(stream { _ in value }.bytes)
        #expect(segment.tags.map(\.bytes) == tags)
        #expect(segment.tags.allSatisfy { $0.completeness == .complete })
        #expect(segment.facts.continuityErrors.count == 7)
        #expect(segment.facts.repeatedPacketCount == 0)
        #expect(!segment.facts.lacksBytes)
    }

    /// Identical packets in the middle of a tag are not duplicates if the counter does not count.
    @Test func counter_thatStandsStill_inATagOfEqualPackets_losesNothing() throws {
        let long = SyntheticTag.tag(id: "PRIV", Array("owner\0".utf8) + [UInt8](repeating: 0x41, count: 900))
        var builder = Builder.withTables()
        builder.pes(long, pts: 1)
        builder.pes(tags[0], pts: 2)
        for packet in builder.indices(of: 0x102) { builder.changePacket(at: packet) { $0[3] &= 0xF0 } }
        #expect(try demux(builder.bytes).tags.map(\.bytes) == [long, tags[0]])
    }

    @Test(arguments: 0..<8) func counter_thatStandsStill_withAPacketMissing_truncatesOneTag(lost: Int) throws
    {
        var builder = stream { _ in 0 }
        builder.removePacket(at: builder.indices(of: 0x102)[lost])
        let complete = try demux(builder.bytes).tags.filter { $0.completeness == .complete }
        #expect(complete.map(\.bytes) == tags.enumerated().filter { $0.offset != lost / 2 }.map(\.element))
    }

    /// The packets between two tags, and within a tag, have a counter of their own but no payload.
    @Test(arguments: [1, 2, 5]) func counter_thatCountsEmptyPackets_losesNothing(emptyCount: Int) throws {
        var bytes = Builder.withTables().bytes
        var counter: UInt8 = 0
        for packet in stream({ _ in 0 }).packets.dropFirst(2) {
            for index in 0...emptyCount {
                let isEmpty = index < emptyCount
                let flags: UInt8 = isEmpty ? 0x20 : packet[3] & 0xF0
                let header = [0x47, isEmpty ? 0x01 : packet[1], 0x02, flags | counter & 0x0F]
                let field: [UInt8] = [183, 0] + [UInt8](repeating: 0xFF, count: 182)
                bytes += header + (isEmpty ? field : Array(packet.dropFirst(4)))
                counter &+= 1
            }
        }
        let segment = try demux(bytes)
        #expect(segment.tags.map(\.bytes) == tags)
        #expect(segment.facts.continuityErrors.count == 7)
        #expect(!segment.facts.lacksBytes)
    }

    /// The PES packets of two encoders alternate, and each encoder counts its own packets.
    @Test func counters_ofTwoEncoders_loseNothing() throws {
        let segment = try demux(stream { [0, 1, 8, 9, 2, 3, 10, 11][$0] }.bytes)
        #expect(segment.tags.map(\.bytes) == tags)
        #expect(segment.facts.continuityErrors.count == 3)
    }

    @Test func counter_thatJumpsBetweenPES_losesNothing() throws {
        let segment = try demux(stream { $0 / 2 * 5 + $0 % 2 }.bytes)
        #expect(segment.tags.map(\.bytes) == tags)
    }

    /// Each run of missing packets: a complete tag is one of those sent, and no two are joined.
    @Test(arguments: 0..<8, 1...8) func packets_missing_neverJoinTwoTags(first: Int, count: Int) throws {
        var builder = stream { $0 }
        for packet in builder.indices(of: 0x102).dropFirst(first).prefix(count).reversed() {
            builder.removePacket(at: packet)
        }
        let segment = try demux(builder.bytes)
        let untouched = tags.indices.filter { $0 * 2 + 1 < first || $0 * 2 >= first + count }
        #expect(
            segment.tags.filter { $0.completeness == .complete }.map(\.bytes) == untouched.map { tags[$0] })
    }

    /// Fifteen missing packets leave the counter unchanged.
    @Test func packets_fifteenMissing_areNotTakenForACounterThatStandsStill() throws {
        let long = SyntheticTag.text(byteCount: 500)
        var builder = Builder.withTables()
        for index in 0..<12 { builder.pes(long, pts: UInt64(index)) }
        for packet in builder.indices(of: 0x102)[5..<20].reversed() { builder.removePacket(at: packet) }
        let segment = try demux(builder.bytes)
        #expect(segment.tags.filter { $0.completeness == .complete }.allSatisfy { $0.bytes == long })
        #expect(segment.facts.continuityErrors.count == 1)
        #expect(segment.tags.contains { $0.completeness != .complete })
    }

    /// A tag in two PES packets, whose second one is missing, does not continue in that of another tag.
    @Test func pes_missingBetweenTheHalvesOfTwoTags_doesNotJoinThem() throws {
        var builder = Builder.withTables()
        for tag in tags {
            builder.pes(Array(tag.prefix(150)), pts: 1)
            builder.pes(Array(tag.dropFirst(150)), pts: 2)
        }
        let packets = builder.indices(of: 0x102)
        builder.removePacket(at: packets[2])
        builder.removePacket(at: packets[1])
        let segment = try demux(builder.bytes)
        let complete = segment.tags.filter { $0.completeness == .complete }
        #expect(complete.map(\.bytes) == Array(tags.dropFirst(2)))
    }
}
