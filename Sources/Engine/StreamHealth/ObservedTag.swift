package import NielsenID3
package import TimedMedia

/// One occurrence of a Nielsen tag in one rendition, as the checks see it.
package struct ObservedTag: Sendable, Hashable {
    /// The tag's fields.
    package var tag: NielsenTag
    /// The presentation time as the container has it; nil where it has none.
    package var time: MediaTimestamp?
    /// That time in seconds on the unwrapped clock, absolute; nil where there is none.
    package var seconds: Double?
    /// How it travelled.
    package var carriage: Carriage
    /// What a transport stream says of it; nil elsewhere.
    package var transport: TimedMetadata.TransportFacts?
    /// Whether the container ended, or lost a packet, before the tag did.
    package var isPartial: Bool
    /// The URI of the segment that it begins in; nil for a bare segment.
    package var segment: String?
    /// That segment's media sequence number; nil without a playlist.
    package var mediaSequence: UInt64?
    /// Seconds of programme before it: those before its segment and its distance from the segment's first time.
    package var position: Double
    /// The programme date and time of the tag in Unix milliseconds; nil without one.
    package var programDateTime: Int64?

    /// One occurrence of a tag.
    package init(
        tag: NielsenTag, time: MediaTimestamp?, seconds: Double?, carriage: Carriage,
        transport: TimedMetadata.TransportFacts? = nil, isPartial: Bool = false, segment: String? = nil,
        mediaSequence: UInt64? = nil, position: Double, programDateTime: Int64? = nil
    ) {
        self.tag = tag
        self.time = time
        self.seconds = seconds
        self.carriage = carriage
        self.transport = transport
        self.isPartial = isPartial
        self.segment = segment
        self.mediaSequence = mediaSequence
        self.position = position
        self.programDateTime = programDateTime
    }
}
