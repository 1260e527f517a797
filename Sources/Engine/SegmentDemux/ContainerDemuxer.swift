internal import TimedMedia

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
