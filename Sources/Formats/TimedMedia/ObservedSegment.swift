/// A media segment as the checks see it: its place in the presentation and what its container says.
package struct ObservedSegment: Sendable, Hashable {
    /// Its URI as its playlist has it; nil for a bare segment.
    package var name: String?
    /// Its media sequence number; nil without a playlist.
    package var mediaSequence: UInt64?
    /// Its length in seconds: the playlist's, or without one the span of its audio or video; 0 where neither is known.
    package var duration: Double
    /// Seconds of the presentation before it, from the start of what was read.
    package var position: Double
    /// Whether it begins after EXT-X-DISCONTINUITY.
    package var isDiscontinuity: Bool
    /// Whether its playlist says that it belongs to an advertisement break.
    package var isInBreak = false
    /// Its program date and time in Unix milliseconds; nil without one.
    package var programDateTime: Int64?
    /// What its container says; nil where it was not read (a gap, or a failure).
    package var facts: CarriageFacts?

    /// A segment at a media time.
    package init(
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
