public import TimedMedia

/// The tags of one segment, in the order of their bytes, and the facts of how they came.
public struct DemuxedSegment: Sendable, Hashable {
    /// The tags that ended in the segment.
    ///
    /// The `segmentIndex` of one that began in an earlier segment says so.
    public var tags: [TimedMetadata]

    /// What the container says about the segment.
    public var facts: CarriageFacts

    /// The tags and the facts of one segment.
    package init(tags: [TimedMetadata] = [], facts: CarriageFacts = CarriageFacts()) {
        self.tags = tags
        self.facts = facts
    }
}
