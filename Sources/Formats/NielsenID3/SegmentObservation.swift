package import TimedMedia

/// What was read of one media segment of one rendition, for the checks: nothing merged, nothing left out.
package struct SegmentObservation: Sendable {
    /// Which of the presentation's renditions was read, counted from 0.
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

    /// What was read of a segment.
    package init(
        rendition: Int, segment: ObservedSegment?, tags: [TagOccurrence], trailingTags: [TagOccurrence] = [],
        otherTagCount: Int = 0,
        malformedOtherTags: CarriageFacts.Bounded<CarriageFacts.MalformedRange> = .init(),
        isLast: Bool = false
    ) {
        self.rendition = rendition
        self.segment = segment
        self.tags = tags
        self.trailingTags = trailingTags
        self.otherTagCount = otherTagCount
        self.malformedOtherTags = malformedOtherTags
        self.isLast = isLast
    }
}
