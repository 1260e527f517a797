import TagStore

/// A batch that was read and built before its turn: while the one in front of it was under way.
struct PreparedBatch: Sendable {
    /// The plan that it was built by.
    let plan: BatchPlan
    /// What the store had lost before the batch was read.
    let losses: LossTotals
    /// The tags and their bytes.
    let built: BatchBuilder.Result

    /// Whether the batch is what would be built now by that plan.
    ///
    /// Its tags are spared in the store, and the oldest there once those in front of them are delivered. Where
    /// something was lost meanwhile it may have been some of them, and the header says otherwise.
    func isGood(for plan: BatchPlan, losses: LossTotals) -> Bool {
        self.plan == plan && self.losses == losses
    }
}
