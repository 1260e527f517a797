import TagStore

/// The tags behind a batch that is under way, read before their turn.
struct ReadAhead: Sendable {
    /// The tags: as many as were asked for.
    let tags: [StoredTag]
    /// What the store had lost before they were read.
    let losses: LossTotals

    /// Whether these are what would be read now, with all in front of them delivered.
    ///
    /// They are spared in the store. Where something was lost meanwhile, it may have been some of them.
    func isGood(forCount count: Int, losses: LossTotals) -> Bool {
        tags.count == count && self.losses == losses
    }
}
