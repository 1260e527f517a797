package import TimedMedia

/// What one segment gave: its tags in the order of their bytes, and the facts of how they came.
package struct DemuxedSegment: Sendable, Hashable {
    /// The tags that ended in the segment; one that began in an earlier segment says so in `segmentIndex`.
    package var tags: [TimedMetadata]

    /// What the container says about the segment.
    package var facts: CarriageFacts

    /// The tags and the facts of one segment.
    package init(tags: [TimedMetadata] = [], facts: CarriageFacts = CarriageFacts()) {
        self.tags = tags
        self.facts = facts
    }
}
