public import StreamHealth
public import TimedMedia

/// What one media segment of one rendition gave the checks to look at: nothing merged, nothing left out.
public struct SegmentObservation: Sendable {
    /// Which of the programme's renditions was read, counted from 0.
    public let rendition: Int

    /// The segment; nil for a file in a folder that is no part of the stream.
    public let segment: ObservedSegment?

    /// The Nielsen tags that came out with it, in the order of their bytes.
    ///
    /// One that began in an earlier segment, and ended here, names that segment.
    public let tags: [ObservedTag]

    /// The Nielsen tags that were begun and never ended, where the rendition ends with this segment.
    public let trailingTags: [ObservedTag]

    /// How many tags of other owners came out with it.
    public let otherTagCount: Int

    /// What those of them break that could be told from other bytes, with offsets from the segment's start.
    public let malformedOtherTags: CarriageFacts.Bounded<CarriageFacts.MalformedRange>

    /// Whether the rendition ends with it.
    public let isLast: Bool
}
