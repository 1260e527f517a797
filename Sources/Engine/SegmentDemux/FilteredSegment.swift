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
