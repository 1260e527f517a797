/// A media segment as input to the checks: its position in the presentation and the facts about its container.
package struct ObservedSegment: Sendable, Hashable {
    /// The segment's URI as written in its playlist; nil for a bare segment.
    package var name: String?
    /// Its media sequence number; nil without a playlist.
    package var mediaSequence: UInt64?
    /// The segment's duration in seconds.
    ///
    /// It comes from the playlist, or without one from the span of the audio or video; 0 if neither is known.
    package var duration: Double
    /// The duration of the presentation before the segment in seconds, counted from the first segment read.
    package var position: Double
    /// Whether the segment follows EXT-X-DISCONTINUITY.
    package var isDiscontinuity: Bool
    /// Whether the playlist marks the segment as part of an advertisement break.
    package var isInBreak = false
    /// Whether it is a part of a stream that continues the previous part, and no segment of its own.
    package var isContinuation = false
    /// Whether it is known without facts that some of its bytes were read.
    package var hasPart = false
    /// Its program date and time in Unix milliseconds; nil without one.
    package var programDateTime: Int64?
    /// The facts about its container; nil if it was not read (a gap or a failure).
    package var facts: CarriageFacts?

    /// Creates a segment at a media time.
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

    /// Whether a part of it was read, and tags may have been lost in the rest.
    package var isReadInPart: Bool { facts?.lacksBytes ?? hasPart }
}
