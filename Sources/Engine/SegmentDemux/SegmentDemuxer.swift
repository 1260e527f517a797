import ByteReading
public import ID3v2

/// Extracts the timed metadata from the segments of one media playlist.
///
/// Feed the segments in order, each between `beginSegment` and `endSegment`. The container is detected from the first
/// bytes of each segment. Some state spans segments: a program map, an initialization segment, or a tag that begins in
/// one segment and ends in the next. Such a tag is returned with the segment in which it ends, and its `segmentIndex`
/// names the segment in which it began.
///
///     var demuxer = SegmentDemuxer()
///     demuxer.beginSegment()
///     try demuxer.feed(bytes.span)
///     let segment = try demuxer.endSegment()
///
/// Bytes are processed as they arrive and not stored, so a segment of any length takes only kilobytes of memory.
public struct SegmentDemuxer: ~Copyable {
    var transportStream: TransportStreamDemuxer
    var fragmentedMP4: FragmentedMP4Demuxer
    private var packedAudio: PackedAudioDemuxer
    private let limits: DemuxLimits

    // State of the current segment.
    private var filter: SegmentFilter
    private var segmentIndex = -1
    private var isInSegment = false
    private var isDiscontinuous = false
    /// Whether the container's demuxer has started the segment.
    private var hasBegunContainer = false

    /// The amount of filter output that is demuxed before the segment ends, in bytes.
    private static let partByteCount = 1 << 20

    /// Creates a demuxer that has processed no segments and stays within `limits`.
    ///
    /// - Parameter library: creates the library that reads transport streams as well; nil to read them without one.
    package init(limits: DemuxLimits, library: TransportLibraryFactory?) {
        self.limits = limits
        transportStream = TransportStreamDemuxer(limits: limits, library: library)
        fragmentedMP4 = FragmentedMP4Demuxer()
        packedAudio = PackedAudioDemuxer()
        filter = SegmentFilter(limits: limits)
    }

    /// Begins a segment.
    ///
    /// State from the previous segment is dropped at a discontinuity. A segment that was not ended is discarded.
    public mutating func beginSegment(isDiscontinuous: Bool = false) {
        startSegment(isDiscontinuous: isDiscontinuous)
        filter = SegmentFilter(earlierMap: transportStream.map, limits: limits)
        isInSegment = true
    }

    /// Reads the next bytes of the segment, in a chunk of any size.
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

    /// The number of upcoming bytes that are irrelevant and may be skipped.
    public var skippableByteCount: UInt64 { isInSegment ? filter.skippableByteCount : 0 }

    /// Skips `count` bytes, at most `skippableByteCount`.
    public mutating func skip(_ count: UInt64) {
        precondition(count <= skippableByteCount, "more skipped than skippable")
        filter.skip(count)
    }

    /// Ends the segment and returns the tags that end in it, with facts about how they were carried.
    ///
    /// Bytes of no known container, and an empty segment, are a `DemuxError.unknownContainer`. The demuxer ignores
    /// them and can continue with the next segment: tags that are open stay open, and a discontinuity applies to the
    /// next segment.
    public mutating func endSegment() throws(DemuxError) -> DemuxedSegment {
        precondition(isInSegment, "endSegment outside of a segment")
        isInSegment = false
        return try end(filter.finishContent())
    }

    /// Ends a segment of a transport stream that may have no end, and begins the next one at the following packet.
    ///
    /// The tags are the same as those of one long segment. Returns nil, and continues the segment, while the media is
    /// shorter than `seconds` and fewer than `tagCount` tags are complete, and where no packet ends.
    package mutating func splitSegment(
        atSeconds seconds: Double, orTagCount tagCount: Int
    ) throws(DemuxError) -> DemuxedSegment? {
        precondition(isInSegment, "splitSegment outside of a segment")
        if let part = filter.drainContent() { try demux(part: part) }
        guard filter.mediaSeconds >= seconds || transportStream.tagCount >= tagCount,
            let content = filter.splitContent()
        else { return nil }
        let segment = try end(content)
        startSegment(isDiscontinuous: false)
        return segment
    }

    /// Demuxes the next segment from the output of its filter, with the same result as feeding its bytes.
    ///
    /// State from the previous segment is dropped at a discontinuity. A segment that was not ended is discarded.
    package mutating func demux(
        _ segment: FilteredSegment, isDiscontinuous: Bool = false
    ) throws(DemuxError) -> DemuxedSegment {
        startSegment(isDiscontinuous: isDiscontinuous)
        isInSegment = false
        return try end(segment.content)
    }

    /// Frees memory that is not needed until the next segment, without losing any state of the stream.
    ///
    /// For a transport stream this frees more than 100 kB. The next segment then costs slightly more.
    package mutating func releaseMemory() {
        transportStream.releaseLibrary()
        filter = SegmentFilter(limits: limits)
    }

    /// Returns the tags that are still open as truncated tags, and clears the state that later segments would continue.
    public mutating func finish() -> [TimedMetadata] { transportStream.finish() }

    private mutating func startSegment(isDiscontinuous: Bool) {
        segmentIndex += 1
        // The discontinuity of a segment that reached no container is still pending.
        let isPending = self.isDiscontinuous && !hasBegunContainer
        self.isDiscontinuous = isDiscontinuous || isPending
        hasBegunContainer = false
    }

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
        hasBegunContainer = if case .unknown = last { false } else { true }
        switch last {
        case .transportStream(let packets): return try Self.end(packets, of: segment, with: &transportStream)
        case .fragmentedMP4(let boxes):
            return withOpenTags(try Self.end(boxes, of: segment, with: &fragmentedMP4))
        case .packedAudio(let audio):
            return withOpenTags(try Self.end(audio, of: segment, with: &packedAudio))
        case .unknown(let byteCount): throw .unknownContainer(byteCount: byteCount)
        }
    }

    /// Prepends the open tags of an earlier transport stream, which a segment of another container ends.
    private mutating func withOpenTags(_ segment: DemuxedSegment) -> DemuxedSegment {
        DemuxedSegment(tags: finish() + segment.tags, facts: segment.facts)
    }
}

// MARK: - One container

extension SegmentDemuxer {
    /// The index of a segment, whether it follows a discontinuity, and whether its demuxer has started.
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

/// The tags of one segment in byte order, and facts about how they were carried.
public struct DemuxedSegment: Sendable, Hashable {
    /// The tags that end in the segment.
    ///
    /// A tag that began in an earlier segment has that segment's index as its `segmentIndex`.
    public var tags: [TimedMetadata]

    /// The facts that the container gives about the segment.
    public var facts: CarriageFacts

    /// Creates a demuxed segment from its tags and facts.
    package init(tags: [TimedMetadata] = [], facts: CarriageFacts = CarriageFacts()) {
        self.tags = tags
        self.facts = facts
    }
}

/// An error that stops the demuxing of a segment.
///
/// Damaged segment bytes never cause an error: they are reported in `CarriageFacts`, and demuxing continues. Errors are
/// bytes that are not a segment, and failures of the C library that demuxes transport streams.
public enum DemuxError: Error, Sendable, Hashable {
    /// The bytes are in no known container: they are not a transport stream, fragmented MP4 or packed audio.
    ///
    /// `byteCount` is the size of the segment; an empty segment is 0 bytes.
    case unknownContainer(byteCount: UInt64)

    /// libavformat could not be opened.
    ///
    /// `code` is its error code (an `AVERROR`), `operation` the call that failed, and `offset` the number of segment
    /// bytes read before the failure.
    case libavformat(code: Int32, operation: Operation, offset: Int)

    /// The libavformat calls that can fail for reasons other than the segment's bytes.
    public enum Operation: String, Sendable, Hashable {
        /// Loading the library, which is missing or has another major version.
        case load
        /// Allocating a context, its buffer or a packet.
        case allocation
        /// Looking up the `mpegts` demuxer in the library.
        case findDemuxer
        /// Opening the demuxer on the bytes.
        case openInput
    }

    /// The number of segment bytes read before the failure.
    public var offset: Int {
        switch self {
        case .unknownContainer(let byteCount): Int(clamping: byteCount)
        case .libavformat(_, _, let offset): offset
        }
    }
}

/// Converts the tags of packed audio segments, which are independent of each other.
struct PackedAudioDemuxer: ContainerDemuxer, Sendable {
    typealias Filter = PackedAudioFilter

    private var segmentIndex = 0
    private var tags: [TimedMetadata] = []

    mutating func beginSegment(index: Int, isDiscontinuous: Bool) {
        segmentIndex = index
        tags = []
    }

    mutating func demux(_ part: FilteredAudio) {
        tags += part.tags.map { tag in
            TimedMetadata(
                bytes: tag.bytes, time: tag.time, carriage: .packedAudio, segmentIndex: segmentIndex,
                offset: tag.offset, completeness: tag.completeness)
        }
    }

    mutating func endSegment(_ last: FilteredAudio) -> DemuxedSegment {
        demux(last)
        defer { tags = [] }
        return DemuxedSegment(tags: tags, facts: last.facts)
    }

    /// Returns no tags: a tag truncated by the end of its segment is returned with that segment.
    mutating func finish() -> [TimedMetadata] { [] }
}
