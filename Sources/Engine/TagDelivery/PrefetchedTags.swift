import TagStore

/// The tags after a batch that is in flight, read before their turn.
struct PrefetchedTags: Sendable {
    /// The tags: as many as were asked for.
    let tags: [StoredTag]
    /// What the buffer had lost before they were read.
    let losses: LossTotals

    /// Whether these are what would be read now, with all before them delivered.
    ///
    /// They are spared in the buffer. Where something was lost meanwhile, it may have been some of them.
    func isCurrent(forCount count: Int, losses: LossTotals) -> Bool {
        tags.count == count && self.losses == losses
    }
}
