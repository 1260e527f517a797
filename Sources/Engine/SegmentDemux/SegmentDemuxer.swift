import ByteReading
public import TimedMedia

/// Takes the timed metadata out of the segments of one media playlist.
///
/// Feed the segments in order, each between `beginSegment` and `endSegment`; its first bytes say what container
/// a segment is. State runs on from segment to segment: a program map, an initialization segment, a tag that
/// begins in one and ends in the next, which comes out with the next and names the first in `segmentIndex`.
///
///     var demuxer = SegmentDemuxer()
///     demuxer.beginSegment()
///     try demuxer.feed(bytes.span)
///     let segment = try demuxer.endSegment()
///
/// Bytes are read as they arrive and not kept: a segment takes kilobytes, whatever its length. Where several
/// threads read, each feeds a `SegmentFilter` of its own, and `demux` takes their segments in order.
public struct SegmentDemuxer: ~Copyable {
    private var transportStream: TransportStreamDemuxer
    private var fragmentedMP4: FragmentedMP4Demuxer
    private var packedAudio: PackedAudioDemuxer
    private let limits: DemuxLimits

    // Of the segment at hand.
    private var filter: SegmentFilter
    private var segmentIndex = -1
    private var isInSegment = false
    private var isDiscontinuous = false
    /// Whether the container's demuxer knows of the segment yet.
    private var hasBegunContainer = false

    /// How many bytes a filter may have passed before they are demuxed in mid-segment.
    private static let partByteCount = 1 << 20

    /// A demuxer that has seen no segment yet, and takes no more memory than the limits say.
    public init(limits: DemuxLimits = .init()) {
        self.limits = limits
        transportStream = TransportStreamDemuxer(limits: limits)
        fragmentedMP4 = FragmentedMP4Demuxer(limits: limits)
        packedAudio = PackedAudioDemuxer(limits: limits)
        filter = SegmentFilter(limits: limits)
    }

    /// Begins a segment; at a discontinuity nothing continues from the segment before.
    ///
    /// A segment that was not ended is given up.
    public mutating func beginSegment(isDiscontinuous: Bool = false) {
        segmentIndex += 1
        self.isDiscontinuous = isDiscontinuous
        hasBegunContainer = false
        filter = SegmentFilter(earlierMap: transportStream.map, limits: limits)
        isInSegment = true
    }

    /// Takes bytes of the segment, in chunks of any size.
    public mutating func feed(_ chunk: Span<UInt8>) throws(DemuxError) {
        precondition(isInSegment, "feed outside of a segment")
        var position = 0
        while position < chunk.count {
            let next = min(chunk.count, position + Self.partByteCount)
            filter.feed(chunk.extracting(position..<next))
            position = next
            if filter.passedByteCount >= Self.partByteCount, let part = filter.drainContent() {
                try demux(part: part)
            }
        }
    }

    /// How many of the bytes that come next need not be fed, because nothing in them matters.
    public var skippableByteCount: UInt64 { isInSegment ? filter.skippableByteCount : 0 }

    /// Says that so many bytes, at most `skippableByteCount`, were skipped.
    public mutating func skip(_ count: UInt64) {
        precondition(count <= skippableByteCount, "more skipped than skippable")
        filter.skip(count)
    }

    /// Ends the segment: the tags that ended in it, and how they came.
    public mutating func endSegment() throws(DemuxError) -> DemuxedSegment {
        precondition(isInSegment, "endSegment outside of a segment")
        isInSegment = false
        return try end(filter.finishContent())
    }

    /// Demuxes the next segment from what its filter kept: what feeding its bytes would give.
    ///
    /// At a discontinuity nothing continues from the segment before. A segment that was not ended is given up.
    package mutating func demux(
        _ segment: FilteredSegment, isDiscontinuous: Bool = false
    ) throws(DemuxError) -> DemuxedSegment {
        segmentIndex += 1
        self.isDiscontinuous = isDiscontinuous
        hasBegunContainer = false
        isInSegment = false
        return try end(segment.content)
    }

    /// Frees what is not needed until the next segment, which then costs a little more; nothing of the stream is lost.
    ///
    /// Of a transport stream that is more than 100 kB.
    package mutating func releaseMemory() {
        transportStream.releaseLibrary()
        filter = SegmentFilter(limits: limits)
    }

    /// Gives the tags that began and never ended, as truncated ones; the next segment continues nothing.
    public mutating func finish() -> [TimedMetadata] { transportStream.finish() }

    private mutating func demux(part: FilteredSegment.Content) throws(DemuxError) {
        let segment = (segmentIndex, isDiscontinuous, hasBegunContainer)
        hasBegunContainer = true
        switch part {
        case .transportStream(let packets): try Self.demux(packets, of: segment, with: &transportStream)
        case .fragmentedMP4(let boxes): try Self.demux(boxes, of: segment, with: &fragmentedMP4)
        case .packedAudio(let audio): try Self.demux(audio, of: segment, with: &packedAudio)
        case .unknown: break
        }
    }

    private mutating func end(_ last: FilteredSegment.Content) throws(DemuxError) -> DemuxedSegment {
        let segment = (segmentIndex, isDiscontinuous, hasBegunContainer)
        switch last {
        case .transportStream(let packets): return try Self.end(packets, of: segment, with: &transportStream)
        case .fragmentedMP4(let boxes):
            return withOpenTags(try Self.end(boxes, of: segment, with: &fragmentedMP4))
        case .packedAudio(let audio):
            return withOpenTags(try Self.end(audio, of: segment, with: &packedAudio))
        case .unknown(let byteCount):
            var demuxed = DemuxedSegment()
            if isDiscontinuous { demuxed.tags = finish() }
            demuxed.facts.byteCount = byteCount
            return demuxed
        }
    }

    /// A segment of another container ends the tags that a transport stream before it had begun.
    private mutating func withOpenTags(_ segment: DemuxedSegment) -> DemuxedSegment {
        DemuxedSegment(tags: finish() + segment.tags, facts: segment.facts)
    }
}

// MARK: - One container

extension SegmentDemuxer {
    /// A segment's place and whether it continues the one before; and whether its container knows of it.
    private typealias SegmentBeginning = (index: Int, isDiscontinuous: Bool, isKnown: Bool)

    private static func demux<Container: ContainerDemuxer & ~Copyable>(
        _ part: Container.Filter.Passed, of segment: SegmentBeginning, with container: inout Container
    ) throws(DemuxError) {
        if !segment.isKnown {
            container.beginSegment(index: segment.index, isDiscontinuous: segment.isDiscontinuous)
        }
        try container.demux(part)
    }

    private static func end<Container: ContainerDemuxer & ~Copyable>(
        _ last: Container.Filter.Passed, of segment: SegmentBeginning, with container: inout Container
    ) throws(DemuxError) -> DemuxedSegment {
        if !segment.isKnown {
            container.beginSegment(index: segment.index, isDiscontinuous: segment.isDiscontinuous)
        }
        return try container.endSegment(last)
    }
}
