/// How a load of a segment went.
package struct SegmentFetch: Sendable, Hashable {
    /// Its URI as its playlist has it.
    package var name: String?
    /// Its media sequence number.
    package var mediaSequence: UInt64?
    /// How long it lasts, in seconds.
    package var duration: Double
    /// How long the load took, in seconds.
    package var seconds: Double
    /// Why it failed; nil where it did not.
    package var failure: FetchFailure?
    /// Whether it was loaded before, and had other bytes.
    package var hasOtherBytes = false

    /// The load of a segment.
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
