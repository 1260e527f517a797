extension StoreEngine {
    /// What is due once a minute.
    func maintain() {
        lastMaintenance = clock.bootMilliseconds
        if !ring.isEmpty { _ = writeRing() }
        restoreBallast()
        do throws(StoreError) {
            try expireAll()
            try read { database throws(SQLiteFailure) in
                // Only what is far above what the next appends will use again, and a little at a time.
                if try database.unusedPageCount() > 1_024 { try database.vacuum(pageCount: 64) }
            }
        } catch {
            // Due again in a minute; until then the size bound holds.
        }
    }

    func expireNow() throws(StoreError) {
        _ = try opened()
        try expireAll()
        rest()
    }

    /// Removes what is older than a tag may be, in steps, unless nobody vouches for the clock.
    func expireAll() throws(StoreError) {
        let now = moment
        try read { database throws(SQLiteFailure) in _ = try epoch(at: now, in: database) }
        guard now.isTrusted, isClockStillTrusted else { return }
        let limit = settings.maximumAgeMilliseconds
        for (epoch, sequences) in epochs.ranges {
            _ = try remove(in: sequences, counting: \.losses.expired) { _, boot in
                ClockEpochs.age(receivedBoot: boot, in: epoch, at: now) > limit
            }
        }
        forgetEpochs()
    }

    /// Entering an epoch may have shown that the clock was set.
    private var isClockStillTrusted: Bool { clock.isTrusted || isClockConfirmed }

    func prune(olderThan milliseconds: Int64) throws(StoreError) -> Int64 {
        _ = try opened()
        guard milliseconds >= 0 else { throw .invalidSetting(name: "milliseconds") }
        let now = moment
        var count: Int64 = 0
        let ranges = epochs.ranges
        if milliseconds == 0 {
            count = try remove(in: 0...Int64.max, counting: \.losses.pruned) { _, _ in true }
        } else {
            for (epoch, sequences) in ranges {
                count += try remove(in: sequences, counting: \.losses.pruned) { wall, boot in
                    let age = epoch.bootID == now.bootID ? now.boot &- boot : now.wall &- wall
                    return age > milliseconds
                }
            }
        }
        rest()
        return count
    }

    /// Removes the oldest tags of a range of sequences while the closure says so, in steps, each a transaction.
    ///
    /// Tags that are being delivered are left alone. The closure gets wall and boot clock of a tag's arrival.
    private func remove(
        in sequences: ClosedRange<Int64>, counting cause: WritableKeyPath<StoreTotals, Int64>,
        while isToGo: (Int64, Int64) -> Bool
    ) throws(StoreError) -> Int64 {
        var removed: Int64 = 0
        for range in unclaimed(in: sequences) {
            var isAtEnd = false
            while !isAtEnd {
                let oldest = try read { database throws(SQLiteFailure) in try database.oldestTimes(in: range)
                }
                let going = oldest.prefix { isToGo($0.wall, $0.boot) }
                isAtEnd = going.count < StoreBudget.deletionStep
                guard let first = going.first, let last = going.last else { break }
                removed += try transact { (database, totals) throws(SQLiteFailure) -> Int64 in
                    let count = try database.delete(first.sequence...last.sequence)
                    totals.inStore -= count
                    totals[keyPath: cause] += count
                    return count
                }
            }
        }
        return removed
    }

    private func forgetEpochs() {
        do throws(StoreError) {
            try read { database throws(SQLiteFailure) in
                var oldest = lastCommitted + 1
                _ = try database.visitRow(atOrAfter: 0) { fields, _, _ in
                    oldest = fields.sequence
                    return false
                }
                let before = epochs
                epochs.forget(before: oldest)
                if epochs != before { try database.setMeta(MetaKey.epochs, Array(epochs.text.utf8)) }
            }
        } catch {
            // The list is bounded by its count too.
        }
    }
}
