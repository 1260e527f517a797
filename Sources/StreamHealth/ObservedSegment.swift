public import TimedMedia

/// A media segment as the checks see it: its place in the programme and what its container says.
public struct ObservedSegment: Sendable, Hashable {
    /// Its URI as its playlist has it; nil for a bare segment.
    public var name: String?
    /// Its media sequence number; nil without a playlist.
    public var mediaSequence: UInt64?
    /// Its length in seconds: the playlist's, or without one the span of its audio or video; 0 where neither is known.
    public var duration: Double
    /// Seconds of programme before it, from the start of what was read.
    public var position: Double
    /// Whether it begins behind EXT-X-DISCONTINUITY.
    public var isDiscontinuity: Bool
    /// Its programme date and time in Unix milliseconds; nil without one.
    public var programDateTime: Int64?
    /// What its container says; nil where it was not read (a gap, or a failure).
    public var facts: CarriageFacts?

    /// A segment at a place in the programme.
    public init(
        name: String?, mediaSequence: UInt64? = nil, duration: Double, position: Double,
        isDiscontinuity: Bool = false, programDateTime: Int64? = nil, facts: CarriageFacts? = nil
    ) {
        self.name = name
        self.mediaSequence = mediaSequence
        self.duration = duration
        self.position = position
        self.isDiscontinuity = isDiscontinuity
        self.programDateTime = programDateTime
        self.facts = facts
    }
}
