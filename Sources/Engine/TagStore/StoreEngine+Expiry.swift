import HostSystem

/// The removal of tags by age, automatically or on request.
extension StoreEngine {
    /// Removes the tags that exceed the maximum age, in steps.
    ///
    /// The boot clock determines the age of tags from this boot. The wall clock determines that of earlier ones, if it
    /// is trusted.
    func removeExpired() throws(StoreError) {
        let now = time.now
        try enterEpoch(of: now)
        // Entering an epoch may have revealed that the clock was set.
        let isTrusted = now.isTrusted && time.isTrusted
        let maximumAge = settings.maximumAge.milliseconds
        for (epoch, sequences) in time.epochs.ranges {
            _ = try remove(in: sequences, as: \.expired) { _, boot in
                ClockEpochs.age(receivedBoot: boot, in: epoch, at: now, isWallTrusted: isTrusted)
                    > maximumAge
            }
        }
        try forgetEpochs()
    }

    /// Removes the bookmarks of channels that are not followed and were not written for the maximum age, and those of
    /// earlier versions at that age.
    func expireBookmarks() throws(StoreError) {
        let now = time.now
        guard now.isTrusted else { return }
        let followed = shares.equalShares
        let maximumAge = settings.maximumAge.milliseconds
        // A time in the future is that of a clock that was set back.
        let isExpired = { (written: Int64) in (now.wall &- written).magnitude > maximumAge }
        var going = try gate.read { database throws(SQLiteFailure) in
            try database.bookmarks.list().filter { followed[$0.owner] == nil && isExpired($0.written) }
        }[...]
        while !going.isEmpty {
            let step = going.prefix(BookmarkTable.deletionStep)
            going = going.dropFirst(step.count)
            try gate.transact { (database, _) throws(SQLiteFailure) in try database.delete(step) }
        }
        let found = try gate.transact { (database, _) throws(SQLiteFailure) -> Int64 in
            if let found = try database.meta.number(MetaKey.earlierBookmarksFound) { return found }
            try database.meta.setNumber(MetaKey.earlierBookmarksFound, now.wall)
            return now.wall
        }
        guard isExpired(found) else { return }
        while try gate.transact({ (database, _) throws(SQLiteFailure) -> Int64 in
            try database.bookmarks.deleteEarlier()
        }) > 0 {}
    }

    /// Enters the epoch of a moment and stores it if it is new.
    private func enterEpoch(of moment: ClockReading) throws(StoreError) {
        try gate.ensureOpen()
        _ = time.enter(moment, sequence: gate.ledger.lastSequence + 1)
        try writeEpochs()
    }

    /// Removes the epochs whose tags are all gone.
    private func forgetEpochs() throws(StoreError) {
        let oldest = try gate.read { database throws(SQLiteFailure) in try database.tags.oldest() }
        time.forgetEpochs(before: oldest?.sequence ?? gate.ledger.lastCommitted + 1)
        try writeEpochs()
    }

    private func writeEpochs() throws(StoreError) {
        if time.isWritingDue { try gate.transact { (_, _) throws(SQLiteFailure) in } }
    }

    /// Removes the tags older than an age and returns their number.
    ///
    /// Does not require a trusted clock; 0 removes all tags.
    func removeTags(olderThan age: Int64) throws(StoreError) -> Int64 {
        if age == 0 { return try remove(in: 0...Int64.max, as: \.pruned) { _, _ in true } }
        let now = time.now
        var count: Int64 = 0
        for (epoch, sequences) in time.epochs.ranges {
            count += try remove(in: sequences, as: \.pruned) { wall, boot in
                (epoch.bootID == now.bootID ? now.boot &- boot : now.wall &- wall) > age
            }
        }
        return count
    }

    /// Removes the oldest tags of a range of sequences while the closure returns true.
    ///
    /// Works in steps, with one transaction per step.
    private func remove(
        in sequences: ClosedRange<Int64>, as cause: WritableKeyPath<LossTotals, Int64>,
        while isToGo: (_ wall: Int64, _ boot: Int64) -> Bool
    ) throws(StoreError) -> Int64 {
        var removed: Int64 = 0
        for range in outbox.inFlight.others(in: sequences) {
            var isAtEnd = false
            while !isAtEnd {
                let oldest = try gate.read { database throws(SQLiteFailure) in
                    try database.tags.oldestArrivals(in: range)
                }
                let going = oldest.prefix { isToGo($0.wall, $0.boot) }
                isAtEnd = going.count < StoreBudget.deletionStep
                guard let first = going.first, let last = going.last else { break }
                removed += try gate.transact { (database, ledger) throws(SQLiteFailure) -> Int64 in
                    let count = try database.tags.delete(first.sequence...last.sequence)
                    ledger.remove(count, as: cause)
                    return count
                }
            }
        }
        return removed
    }
}
