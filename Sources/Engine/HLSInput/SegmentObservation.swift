package import NielsenID3
package import StreamHealth
package import TimedMedia

/// What one media segment of one rendition gave the checks to look at: nothing merged, nothing left out.
package struct SegmentObservation: Sendable {
    /// Which of the programme's renditions was read, counted from 0.
    package let rendition: Int

    /// The segment; nil for a file in a folder that is no part of the stream.
    package let segment: ObservedSegment?

    /// The Nielsen tags that came out with it, in the order of their bytes.
    ///
    /// One that began in an earlier segment, and ended here, names that segment.
    package let tags: [TagOccurrence]

    /// The Nielsen tags that were begun and never ended, where the rendition ends with this segment.
    package let trailingTags: [TagOccurrence]

    /// How many tags of other owners came out with it.
    package let otherTagCount: Int

    /// What those of them break that could be told from other bytes, with offsets from the segment's start.
    package let malformedOtherTags: CarriageFacts.Bounded<CarriageFacts.MalformedRange>

    /// Whether the rendition ends with it.
    package let isLast: Bool
}
