internal import ID3v2

/// Reads the bytes of one segment and passes on the parts that the container's demuxer needs.
///
/// A filter can run on any thread. Its output depends only on the bytes, not on how they were split into chunks. A
/// transport stream filter may also start with the program map of the previous segments; see `needsEarlierSegments`.
protocol ContainerFilter: Sendable {
    /// The filter output, which the container's demuxer reads instead of the bytes.
    associatedtype Passed: Sendable

    /// Reads the next bytes of the segment, in a chunk of any size.
    mutating func feed(_ chunk: Span<UInt8>)

    /// The number of upcoming bytes that are irrelevant and may be skipped.
    var skippableByteCount: UInt64 { get }

    /// Skips `count` bytes, at most `skippableByteCount`.
    mutating func skip(_ count: UInt64)

    /// The approximate memory used by output that has not been drained, in bytes.
    var passedByteCount: Int { get }

    /// The approximate memory used by bytes that are not classified yet.
    var pendingByteCount: Int { get }

    /// Whether the segment cannot be demuxed without state from the previous segments.
    var needsEarlierSegments: Bool { get }

    /// Returns and clears the output so far, so that a long segment is never held in full.
    mutating func drainPassed() -> Passed

    /// Ends the segment and returns the output that was not drained.
    mutating func finish() -> Passed

    /// Wraps filter output as the content of a filtered segment.
    static func content(_ passed: Passed) -> FilteredSegment.Content
}

extension ContainerFilter {
    mutating func drainContent() -> FilteredSegment.Content { Self.content(drainPassed()) }
    mutating func finishContent() -> FilteredSegment.Content { Self.content(finish()) }
}

/// Extracts the timed metadata of one container from the output of its segment filters, in segment order.
///
/// The filters process the bytes. The demuxer keeps the state that spans segments: a program map, the tracks of an
/// initialization segment, or a tag that begins in one segment and ends in the next.
protocol ContainerDemuxer: ~Copyable {
    associatedtype Filter: ContainerFilter

    /// Begins the segment at `index`, counted from zero.
    ///
    /// State from earlier segments is dropped at a discontinuity.
    mutating func beginSegment(index: Int, isDiscontinuous: Bool)

    /// Demuxes filter output from the middle of a segment.
    mutating func demux(_ part: Filter.Passed) throws(DemuxError)

    /// Ends the segment with the last output of its filter.
    ///
    /// The result includes a tag that began in an earlier segment and ended in this one.
    mutating func endSegment(_ last: Filter.Passed) throws(DemuxError) -> DemuxedSegment

    /// Returns the tags that are still open, and clears the state that later segments would continue.
    mutating func finish() -> [TimedMetadata]
}

/// The output of a `SegmentFilter` for one segment, typically a few kilobytes.
///
/// `SegmentDemuxer.demux(_:isDiscontinuous:)` accepts it instead of the segment's bytes.
package struct FilteredSegment: Sendable {
    let content: Content

    /// The filter output of each container.
    enum Content: Sendable {
        case transportStream(FilteredPackets)
        case fragmentedMP4(FilteredBoxes)
        case packedAudio(FilteredAudio)
        /// The segment is in no known container.
        case unknown(byteCount: UInt64)
    }
}
