/// What a page keeps of one segment.
struct TrackedSegment: Sendable {
    /// Seconds of media before it.
    var position: Double
    /// Its length in seconds.
    var duration: Double
    /// Whether it begins after EXT-X-DISCONTINUITY.
    var isDiscontinuity: Bool
    /// Whether its bytes were read.
    var wasRead: Bool
}
