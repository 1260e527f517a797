internal import TimedMedia

/// The timed metadata of one container, from what the filters of its segments passed, in the segments' order.
///
/// The filters do the work on the bytes. What runs on from segment to segment is here: a program map, the tracks
/// of an initialization segment, a tag that begins in one segment and ends in the next.
protocol ContainerDemuxer: ~Copyable {
    associatedtype Filter: ContainerFilter

    /// A demuxer that has seen no segment yet.
    init(limits: DemuxLimits)

    /// A filter for the next segment that knows what the segments before it said.
    func makeFilter() -> Filter

    /// Begins a segment, `index` counting from the first one; at a discontinuity nothing continues from before.
    mutating func beginSegment(index: Int, isDiscontinuous: Bool)

    /// Takes what the filter passed before its segment ended.
    mutating func demux(_ part: Filter.Passed) throws(DemuxError)

    /// Ends the segment with the last that its filter passed: its tags, and one that began in an earlier segment
    /// and ended in this one.
    mutating func endSegment(_ last: Filter.Passed) throws(DemuxError) -> DemuxedSegment

    /// Gives the tags that began and never ended; the next segment continues nothing.
    mutating func finish() -> [TimedMetadata]
}
