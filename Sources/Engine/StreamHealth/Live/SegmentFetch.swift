/// The result of loading a segment.
package struct SegmentFetch: Sendable, Hashable {
    /// The segment's URI as written in its playlist.
    package var name: String?
    /// The segment's media sequence number.
    package var mediaSequence: UInt64?
    /// The segment's duration, in seconds.
    package var duration: Double
    /// The load time, in seconds.
    package var seconds: Double
    /// The cause of the failure; nil on success.
    package var failure: FetchFailure?
    /// Whether an earlier load of the segment returned different bytes.
    package var hasOtherBytes = false

    /// Creates a load result.
    package init(
        name: String?, mediaSequence: UInt64? = nil, duration: Double, seconds: Double,
        failure: FetchFailure? = nil
    ) {
        self.name = name
        self.mediaSequence = mediaSequence
        self.duration = duration
        self.seconds = seconds
        self.failure = failure
    }
}
