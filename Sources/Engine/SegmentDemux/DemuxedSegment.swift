public import TimedMedia

/// The tags of one segment in byte order, and facts about how they were carried.
public struct DemuxedSegment: Sendable, Hashable {
    /// The tags that end in the segment.
    ///
    /// A tag that began in an earlier segment has that segment's index as its `segmentIndex`.
    public var tags: [TimedMetadata]

    /// The facts that the container gives about the segment.
    public var facts: CarriageFacts

    /// Creates a demuxed segment from its tags and facts.
    package init(tags: [TimedMetadata] = [], facts: CarriageFacts = CarriageFacts()) {
        self.tags = tags
        self.facts = facts
    }
}
