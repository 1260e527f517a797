import NielsenID3
import SegmentDemux

/// The identity of a rendition in the results for its segments.
struct ReadStream: Sendable {
    /// The input as named by the user.
    let source: String

    /// The rendition in the presentation or the channel.
    let rendition: RenditionID

    /// The media playlist's URI in the multivariant playlist, or nil without one.
    let uri: String?

    /// The channel ID, or nil for recorded input.
    var channel: String?

    /// The number of segments remembered for a tag that does not end, which may only be emitted when the next one
    /// begins.
    var maximumBegunCount = 512

    /// The memory limits of its demuxer.
    var limits = DemuxLimits()

    /// Returns the origin of a tag found at `place`.
    func origin(of place: TagPlace) -> TagOrigin {
        channel.map { .channel(id: $0, place) } ?? .recording(place)
    }
}

extension SegmentReader {
    /// A tag that was read from a segment.
    struct ReadTag {
        let occurrence: TagOccurrence
        /// The playback position of the segment in which the tag begins, in seconds.
        let segmentPosition: Double
    }

    /// The result for a segment; the caller fills `reading.tags`, after merging renditions.
    struct ReadSegment {
        var reading: SegmentReading
        var tags: [ReadTag] = []
        /// The number of bytes received, including an initialization segment.
        var byteCount: UInt64
        /// Whether the outcome is the failure of the initialization section.
        var lacksInitialization = false
    }
}
