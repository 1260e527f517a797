/// What a `SegmentFilter` kept of a segment: the few kilobytes that matter.
///
/// `SegmentDemuxer.demux(_:isDiscontinuous:)` takes it in place of the segment's bytes.
package struct FilteredSegment: Sendable {
    let content: Content

    /// What the filter of each container passes.
    enum Content: Sendable {
        case transportStream(FilteredPackets)
        case fragmentedMP4(FilteredBoxes)
        case packedAudio(FilteredAudio)
        /// The bytes are of no known container.
        case unknown(byteCount: UInt64)
    }
}
