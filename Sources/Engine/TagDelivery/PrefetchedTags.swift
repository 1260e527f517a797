import TagStore

/// The tags after a batch that is in flight, read in advance.
struct PrefetchedTags: Sendable {
    /// The tags, exactly as many as were requested.
    let tags: [StoredTag]
    /// The losses of the buffer before the tags were read.
    let losses: LossTotals

    /// Whether a new read would return the same tags, once all earlier ones are delivered.
    ///
    /// The buffer protects these tags from eviction. If it lost tags meanwhile, these may be among them.
    func isCurrent(forCount count: Int, losses: LossTotals) -> Bool {
        tags.count == count && self.losses == losses
    }
}
