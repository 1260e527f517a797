extension Outbox {
    /// Puts all dead letters back among the tags that wait, in steps, each a transaction; says how many they were.
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

    /// Removes the dead letters that were refused at a moment or before, and says how many they were; all of them stay
    /// counted.
    func pruneDeadLetters(refusedUntil wall: Int64) throws(StoreError) -> Int64 {
        try gate.transact { (database, _) throws(SQLiteFailure) in
            try database.deadLetters.prune(refusedUntil: wall)
        }
    }
}
