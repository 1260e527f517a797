import ID3v2
import SegmentDemux
import Testing

/// One case for each way to carry timed ID3 in a transport stream, valid or invalid.
@Suite struct TransportStreamCarriageTests {
    private typealias Builder = TransportStreamBuilder
    private let tag = SyntheticTag.nielsen(1)
    private let other = SyntheticTag.nielsen(2)

    // MARK: The usual stream

    @Test func tag_inOnePES_isReturnedWithItsFacts() throws {
        var builder = Builder.withTables()
        builder.video(pts: 126_000)
        builder.audio(pts: 129_000)
        let offset = builder.offset
        builder.pes(tag, pts: 130_000)
        builder.audio(pts: 131_000)
        builder.video(pts: 123_000)
        let segment = try demux(builder.bytes)
        #expect(
            segment.tags == [
                TimedMetadata(
                    bytes: tag, time: MediaTimestamp(pts: 130_000), carriage: .transportStream(pid: 0x102),
                    segmentIndex: 0, offset: offset, completeness: .complete,
                    transport: .init(
                        packetCount: 2, fillsPackets: true, streamID: 0xBD, isDeclared: true,
                        precedingMediaTime: MediaTimestamp(pts: 129_000)))
            ])
        var facts = CarriageFacts()
        facts.container = .transportStream(packetSize: 188)
        facts.byteCount = UInt64(builder.bytes.count)
        facts.earliestMediaTime = MediaTimestamp(pts: 129_000)
        facts.latestMediaTime = MediaTimestamp(pts: 131_000)
        facts.hasAudio = true
        facts.programs = [
            .init(
                number: 1, pmtPID: 0x1000, hasMetadataPointer: true,
                streams: [.init(pid: 0x102, streamType: 0x15, hasMetadataDescriptor: true)])
        ]
        facts.metadataPESCount = 1
        #expect(segment.facts == facts)
    }

    @Test func mediaTimes_withoutAudio_followVideoInPresentationOrder() throws {
        var builder = Builder()
        builder.tables([.video, .metadata])
        for pts in [126_000, 135_000, 129_000, 132_000] as [UInt64] { builder.video(pts: pts) }
        builder.pes(tag, pts: 130_000)
        let segment = try demux(builder.bytes)
        #expect(segment.facts.earliestMediaTime == MediaTimestamp(pts: 126_000))
        #expect(segment.facts.latestMediaTime == MediaTimestamp(pts: 135_000))
        #expect(segment.facts.hasAudio == false)
        #expect(segment.tags.first?.transport?.precedingMediaTime == MediaTimestamp(pts: 132_000))
    }

    @Test func mediaTimes_acrossTheWrap_areInOrder() throws {
        var builder = Builder.withTables()
        let last = MediaTimestamp.transportPeriod - 1
        for pts in [last - 1000, last, 900, 1900] { builder.audio(pts: pts) }
        let facts = try demux(builder.bytes).facts
        #expect(facts.earliestMediaTime == MediaTimestamp(pts: last - 1000))
        #expect(facts.latestMediaTime == MediaTimestamp(pts: 1900))
    }

    @Test func pts_withEachBitSet_isReturnedAsSent() throws {
        for pts in (0..<33).map({ UInt64(1) << $0 }) + [0, MediaTimestamp.transportPeriod - 1] {
            var builder = Builder.withTables()
            builder.audio(pts: pts)
            builder.pes(tag, pts: pts)
            let segment = try demux(builder.bytes)
            #expect(segment.tags.map(\.pts) == [pts])
            #expect(segment.facts.earliestMediaTime?.ticks == pts)
        }
    }

    @Test func pts_thatWrapsBetweenTags_isNotUnwrapped() throws {
        var builder = Builder.withTables()
        let times: [UInt64] = [
            MediaTimestamp.transportPeriod - 90_000, 5, MediaTimestamp.transportPeriod - 1, 90_000,
        ]
        for pts in times { builder.pes(tag, pts: pts) }
        #expect(try demux(builder.bytes).tags.map(\.pts) == times)
    }

    @Test func segment_withAMetadataPIDButNoTag_reportsOnlyTheDeclaration() throws {
        var builder = Builder.withTables()
        builder.audio(pts: 90_000)
        let segment = try demux(builder.bytes)
        #expect(segment.tags.isEmpty)
        #expect(segment.facts.programs.first?.streams.map(\.pid) == [0x102])
        #expect(segment.facts.metadataPESCount == 0)
    }

    // MARK: Packet forms

    @Test(arguments: [188, 192, 204]) func packets_ofEachSize_yieldTheSameTag(size: Int) throws {
        var builder = Builder.withTables()
        builder.audio(pts: 90_000)
        builder.pes(tag, pts: 93_000)
        builder.audio(pts: 96_000)
        let bytes = size == 188 ? builder.bytes : size == 192 ? builder.timeCodedBytes : builder.parityBytes
        for chunk in [1, 191, 1000, .max] {
            let segment = try demux(bytes, chunk: chunk)
            #expect(segment.tags.map(\.bytes) == [tag])
            #expect(segment.tags.map(\.pts) == [93_000])
            #expect(
                segment.tags.map(\.offset) == [builder.indices(of: 0x102)[0] * size + (size == 192 ? 4 : 0)])
            #expect(segment.facts.container == .transportStream(packetSize: size))
            #expect(segment.facts.malformed.count == 0)
            #expect(segment.facts.byteCount == UInt64(bytes.count))
        }
    }

    /// 192-byte packets without the first time code.
    @Test func packets_of192Bytes_withoutTheFirstTimeCode_areRead() throws {
        var builder = Builder.withTables()
        builder.pes(tag, pts: 93_000)
        let segment = try demux(Array(builder.timeCodedBytes.dropFirst(4)))
        #expect(segment.tags.map(\.bytes) == [tag])
        #expect(segment.facts.malformed.count == 0)
    }

    @Test func garbage_betweenPackets_isSkippedAndReported() throws {
        var builder = Builder.withTables()
        builder.pes(tag, pts: 1)
        let before = builder.bytes
        builder.pes(other, pts: 2)
        for _ in 0..<6 { builder.audio(pts: 3) }
        // The garbage contains sync bytes.
        let garbage = [UInt8](repeating: 0x47, count: 3) + (0..<250).map { UInt8($0) }
        let bytes = before + garbage + builder.bytes[before.count...]
        for chunk in [1, 100, 189, .max] {
            let segment = try demux(bytes, chunk: chunk)
            #expect(segment.tags.map(\.bytes) == [tag, other])
            #expect(segment.tags.last?.offset == before.count + garbage.count)
            #expect(segment.facts.malformed.first.map(\.rule).contains("transport.sync-lost"))
        }
    }

    @Test func garbage_atTheStart_isSkippedAndReported() throws {
        var builder = Builder.withTables()
        builder.pes(tag, pts: 1)
        for _ in 0..<6 { builder.audio(pts: 3) }
        let garbage = (0..<333).map { UInt8($0 % 64) }
        let segment = try demux(garbage + builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag])
        #expect(
            segment.facts.malformed.first == [.init(offset: 0, length: 333, rule: .syncLost)])
    }

    @Test func packet_withAnInvalidSyncByte_isTheOnlyOneLost() throws {
        var builder = Builder.withTables()
        builder.pes(tag, pts: 1)
        for _ in 0..<4 { builder.audio(pts: 3) }
        let wrong = builder.offset
        builder.audio(pts: 4)
        builder.pes(other, pts: 2)
        for _ in 0..<6 { builder.audio(pts: 3) }
        builder.changePacket(at: wrong / 188) { $0[0] = 0x46 }
        let segment = try demux(builder.bytes)
        #expect(segment.tags.map(\.bytes) == [tag, other])
        #expect(
            segment.facts.malformed.first == [.init(offset: wrong, length: 188, rule: .syncLost)])
    }

    @Test func transportStream_truncatedAnywhere_yieldsTheCompleteTags() throws {
        var builder = Builder.withTables()
        builder.pes(tag, pts: 1)
        builder.audio(pts: 3)
        let end = builder.offset - 188
        builder.pes(other, pts: 2)
        let bytes = builder.bytes
        for count in 0...bytes.count {
            guard count >= 188 else {
                // Fewer bytes than a packet are not a transport stream.
                #expect(throws: DemuxError.unknownContainer(byteCount: UInt64(count))) {
                    try demux(Array(bytes.prefix(count)))
                }
                continue
            }
            let tags = try demux(Array(bytes.prefix(count))).tags.filter { $0.completeness == .complete }
            if count < end { #expect(tags.isEmpty) }
            if count >= end && count < bytes.count { #expect(tags.map(\.bytes) == [tag], "\(count) bytes") }
        }
        #expect(try demux(bytes).tags.map(\.bytes) == [tag, other])
    }

    // MARK: Tags before the packets

    @Test func frontTags_withATimestamp_allHaveItsTime() throws {
        var builder = Builder.withTables()
        builder.pes(other, pts: 2)
        let stamp = SyntheticTag.timestamp(8_589_934_591)
        for chunk in [1, 7, 300, .max] {
            let segment = try demux(stamp + tag + builder.bytes, chunk: chunk)
            #expect(segment.tags.map(\.bytes) == [stamp, tag, other])
            #expect(segment.tags.map(\.carriage).prefix(2) == [.segmentFront, .segmentFront])
            #expect(segment.tags.map(\.pts) == [8_589_934_591, 8_589_934_591, 2])
            #expect(segment.tags.map(\.offset) == [0, stamp.count, stamp.count + tag.count + 376])
            #expect(segment.tags[0].transport == nil)
            #expect(segment.facts.malformed.count == 0)
            #expect(segment.facts.container == .transportStream(packetSize: 188))
        }
    }

    @Test func frontTag_withoutATimestamp_hasNoTime() throws {
        let segment = try demux(tag + Builder.withTables().bytes)
        #expect(segment.tags.map(\.bytes) == [tag])
        #expect(segment.tags.map(\.time) == [nil])
    }

    /// A sync byte inside a front tag is not the first packet.
    @Test func frontTag_fullOfSyncBytes_isNotSplit() throws {
        let odd = SyntheticTag.tag(id: "PRIV", [UInt8](repeating: 0x47, count: 3000))
        let segment = try demux(odd + Builder.withTables().bytes)
        #expect(segment.tags.map(\.bytes) == [odd])
    }

    /// The header states more bytes than precede the packets: the tag is truncated, and no packet is lost.
    @Test(arguments: [1000, 200_000_000]) func frontTag_withATooLargeSize_hidesNoPacket(size: Int) throws {
        var builder = Builder.withTables()
        builder.pes(other, pts: 2)
        for _ in 0..<10 { builder.audio(pts: 3) }
        let lying = Array("ID3".utf8) + [4, 0, 0] + SyntheticTag.syncSafe(size) + tag.dropFirst(10)
        let segment = try demux(lying + builder.bytes)
        #expect(segment.tags.map(\.bytes) == [lying, other])
        #expect(segment.tags.first?.completeness == .truncated(expected: size + 10))
    }
}
