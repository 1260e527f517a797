extension TagBuffer {
    /// Removes the tags older than an age and returns their number.
    ///
    /// Follows the rules of expiry, but does not require a trusted clock.
    ///
    /// - Parameter age: `.zero` removes all tags.
    @discardableResult
    package func prune(olderThan age: Duration) async throws(StoreError) -> Int64 {
        try await engine.prune(olderThan: age)
    }

    /// Removes the dead letters that were refused longer ago than an age, and returns their number.
    ///
    /// They stay in the totals.
    @discardableResult
    package func pruneDeadLetters(olderThan age: Duration) async throws(StoreError) -> Int64 {
        try await engine.pruneDeadLetters(olderThan: age)
    }

    /// Removes expired tags.
    ///
    /// `append` and `nextBatch` do this automatically once a minute.
    package func expire() async throws(StoreError) {
        try await engine.expire()
    }

    /// Admits all quarantined tags to delivery, or deletes them, and returns their number.
    ///
    /// They have an owner from `TagOwner.quarantined`, and an earlier process may have appended them.
    ///
    /// Deleted ones count as pruned, or as lost from memory if they were not on the disk.
    package func admit(deleting isDeleting: Bool) async throws(StoreError) -> Int64 {
        try await engine.admit(deleting: isDeleting)
    }
}
