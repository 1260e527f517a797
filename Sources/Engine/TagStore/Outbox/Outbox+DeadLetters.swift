extension Outbox {
    /// Moves all dead letters back to the pending tags and returns their number.
    ///
    /// Works in steps, with one transaction per step.
    func retryDeadLetters() throws(StoreError) -> Int64 {
        var count: Int64 = 0
        while true {
            let (step, isLast) = try gate.transact {
                (database, ledger) throws(SQLiteFailure) -> (Int64, Bool) in
                let step = try database.deadLetters.putBack(StoreBudget.deletionStep)
                database.tags.forgetUse()
                ledger.putBack(step)
                return (step, try database.deadLetters.count() == 0)
            }
            count += step
            if isLast { return count }
        }
    }

    /// Removes the dead letters refused at or before a time and returns their number.
    ///
    /// They stay in the totals.
    func pruneDeadLetters(refusedUntil wall: Int64) throws(StoreError) -> Int64 {
        try gate.transact { (database, _) throws(SQLiteFailure) in
            try database.deadLetters.prune(refusedUntil: wall)
        }
    }
}
