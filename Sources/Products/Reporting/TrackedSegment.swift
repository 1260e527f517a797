/// The fields of a segment that a page keeps.
struct TrackedSegment: Sendable {
    /// The media position of the segment's start, in seconds.
    var position: Double
    /// The duration in seconds.
    var duration: Double
    /// Whether it follows EXT-X-DISCONTINUITY.
    var isDiscontinuity: Bool
    /// Whether its bytes were read.
    var wasRead: Bool
}
