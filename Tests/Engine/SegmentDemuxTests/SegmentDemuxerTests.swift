import ID3v2
import LibAVDemux
import SegmentDemux
import Testing

/// The behavior of a demuxer with any container.
@Suite struct SegmentDemuxerTests {
    @Test(arguments: [0, 1, 7, 100, 5000, 200_000]) func bytes_ofNoKnownContainer_areAnError(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3 & 0x3F) }
        for chunk in [1000, .max] {
            #expect(throws: DemuxError.unknownContainer(byteCount: UInt64(count))) {
                try demux(bytes, chunk: chunk)
            }
        }
    }

    @Test func text_isAnUnknownContainer_andItsSizeIsReported() {
        let bytes = Array("root:x:0:0:root:/root:/bin/bash\n".utf8)
        let error = #expect(throws: DemuxError.self) { try demux(bytes) }
        #expect(error?.offset == bytes.count)
    }

    /// A tag that begins in one segment and ends in the next; bytes of no container may come between them.
    private struct DividedTag {
        let tag = SyntheticTag.nielsen(1)
        let first: [UInt8]
        let last: [UInt8]

        init() {
            var first = TransportStreamBuilder.withTables()
            first.pes(Array(tag.prefix(100)), pts: 1)
            var last = TransportStreamBuilder.withTables()
            last.pes(Array(tag.dropFirst(100)), pts: 2)
            self.first = first.bytes
            self.last = last.bytes
        }
    }

    @Test(arguments: [0, 300]) func invalidSegment_leavesAnIncompleteTagOpen(count: Int) throws {
        let divided = DividedTag()
        var demuxer = SegmentDemuxer()
        _ = try demuxer.demux(divided.first)
        #expect(throws: DemuxError.self) { try demuxer.demux([UInt8](repeating: 0x20, count: count)) }
        let segment = try demuxer.demux(divided.last)
        #expect(segment.tags.map(\.bytes) == [divided.tag])
        #expect(segment.tags.map(\.segmentIndex) == [0])
    }

    @Test func discontinuity_atAnInvalidSegment_truncatesTheOpenTagInTheNext() throws {
        let divided = DividedTag()
        var demuxer = SegmentDemuxer()
        _ = try demuxer.demux(divided.first)
        #expect(throws: DemuxError.self) { try demuxer.demux([0x20], isDiscontinuous: true) }
        let segment = try demuxer.demux(TransportStreamBuilder.withTables().bytes)
        #expect(segment.tags.map(\.bytes) == [Array(divided.tag.prefix(100))])
        // Only the next segment follows the discontinuity.
        _ = try demuxer.demux(divided.first)
        #expect(try demuxer.demux(divided.last).tags.map(\.bytes) == [divided.tag])
    }

    @Test func openTag_withoutFurtherSegments_isReturnedAtTheEnd() throws {
        let divided = DividedTag()
        var demuxer = SegmentDemuxer()
        _ = try demuxer.demux(divided.first)
        #expect(throws: DemuxError.self) { try demuxer.demux([0x20], isDiscontinuous: true) }
        #expect(demuxer.finish().map(\.bytes) == [Array(divided.tag.prefix(100))])
    }

    @Test func abandonedSegment_isDiscarded() throws {
        var builder = TransportStreamBuilder.withTables()
        builder.pes(SyntheticTag.nielsen(1), pts: 1)
        var demuxer = SegmentDemuxer()
        demuxer.beginSegment()
        try demuxer.feed(builder.bytes.span)
        let segment = try demuxer.demux(builder.bytes)
        #expect(segment.tags.map(\.segmentIndex) == [1])
    }

    @Test func transportStream_hasNoSkippableBytes() throws {
        var demuxer = SegmentDemuxer()
        demuxer.beginSegment()
        try demuxer.feed(TransportStreamBuilder.withTables().bytes.span)
        #expect(demuxer.skippableByteCount == 0)
        demuxer.skip(0)
    }

    @Test func feed_outsideASegment_traps() async {
        await #expect(processExitsWith: .failure) {
            var demuxer = SegmentDemuxer()
            try demuxer.feed([0x47].span)
        }
    }

    @Test func skip_beyondTheSkippableBytes_traps() async {
        await #expect(processExitsWith: .failure) {
            var demuxer = SegmentDemuxer()
            demuxer.beginSegment()
            demuxer.skip(1)
        }
    }

    // MARK: Limits

    @Test func tag_longerThanTheLimit_isTruncatedAndTheNextIsRead() throws {
        var limits = DemuxLimits()
        limits.maximumTagByteCount = 1000
        let long = SyntheticTag.text(byteCount: 5000)
        var builder = TransportStreamBuilder.withTables()
        builder.pes(long + SyntheticTag.nielsen(1), pts: 1)
        builder.pes(SyntheticTag.nielsen(2), pts: 2)
        var demuxer = SegmentDemuxer(limits: limits)
        let segment = try demuxer.demux(builder.bytes)
        #expect(
            segment.tags.map(\.bytes) == [
                Array(long.prefix(1000)), SyntheticTag.nielsen(1), SyntheticTag.nielsen(2),
            ])
        #expect(segment.tags.first?.completeness == .truncated(expected: long.count))
        #expect(segment.facts.malformed.first.map(\.rule) == ["id3.too-long"])
    }

    @Test func tags_overTheSegmentLimit_areReported() throws {
        var limits = DemuxLimits()
        limits.maximumSegmentTagByteCount = 2 * (271 + 256)
        var builder = TransportStreamBuilder.withTables()
        for number in 0..<4 { builder.pes(SyntheticTag.nielsen(number), pts: 1) }
        var demuxer = SegmentDemuxer(limits: limits)
        let segment = try demuxer.demux(builder.bytes)
        #expect(segment.tags.count == 2)
        #expect(
            segment.facts.malformed.first.map(\.rule) == ["segment.tags-too-long", "segment.tags-too-long"])
        // The next segment has its own limit.
        #expect(try demuxer.demux(builder.bytes).tags.count == 2)
    }

    /// More metadata than is buffered at once is demuxed in parts, without loss between them.
    @Test func metadata_ofManyMegabytes_isDemuxedInParts() throws {
        var builder = TransportStreamBuilder.withTables()
        let long = SyntheticTag.text(byteCount: 60_000)
        for index in 0..<50 { builder.pes(long, pts: UInt64(index)) }
        for chunk in [100_001, .max] {
            let segment = try demux(builder.bytes, chunk: chunk)
            #expect(segment.tags.map(\.pts) == (0..<50).map { UInt64($0) })
            #expect(segment.tags.allSatisfy { $0.bytes == long })
            #expect(segment.facts.metadataPESCount == 50)
            #expect(segment.facts.unreportedPESCount == 0)
            #expect(segment.facts.malformed.count == 0)
        }
    }
}
