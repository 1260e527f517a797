import NielsenID3
import SegmentDemux

/// What a rendition is called in what comes of its segments.
struct ReadStream: Sendable {
    /// The input as the user gave it.
    let source: String

    /// Which of the presentation's renditions it is, counted from 0.
    let rendition: Int

    /// The media playlist's URI as the multivariant playlist has it; nil without one.
    let uri: String?

    /// The channel's id, where it is one; nil for recorded input.
    var channel: String?

    /// How many segments are remembered for a tag that begins in one and does not end: it comes out as late as when the
    /// next one begins.
    var maximumBegunCount = 512

    /// The memory limits of its demuxer.
    var limits = DemuxLimits()

    /// Where a tag at a place comes from.
    func origin(of place: TagPlace) -> TagOrigin {
        channel.map { .channel(id: $0, place) } ?? .recording(place)
    }
}
