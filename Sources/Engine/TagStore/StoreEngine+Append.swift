internal import TimedMedia

extension StoreEngine {
    /// Puts appends on the disk in one transaction, and answers each.
    func append(_ group: [EncodedAppend]) -> [Result<AppendOutcome, StoreError>] {
        guard !group.isEmpty else { return [] }
        guard directory != nil else {
            for append in group { counts.refuse(append.rowCount) }
            return group.map { _ in .failure(.closed) }
        }
        if !ring.isEmpty && !writeRing() { return group.map { keepInMemory($0) } }
        let first = lastSequence + 1
        do throws(StoreError) {
            try insert(group)
        } catch .full {
            // The group was too much together; alone, the smaller ones may still fit.
            if group.count > 1 { return group.flatMap { append([$0]) } }
            // It is the disk that has no room, not the store.
            if pinnedPageCount != nil, settings.fullPolicy == .evictOldest {
                return group.map { keepInMemory($0) }
            }
            for append in group { counts.refuse(append.rowCount) }
            return group.map { _ in .failure(.full) }
        } catch {
            return group.map { keepInMemory($0) }
        }
        var next = first
        return group.map { append in
            let end = next + Int64(append.rowCount)
            defer { next = end }
            return .success(AppendOutcome(sequences: next...(end - 1), durability: .durable))
        }
    }

    private func insert(_ group: [EncodedAppend]) throws(StoreError) {
        let before = lastSequence
        let rowCount = group.reduce(0) { $0 + $1.rowCount }
        let byteCount = group.reduce(0) { $0 + $1.byteCount }
        let last = before + Int64(rowCount)
        let hasFit = try transact { (database, totals) throws(SQLiteFailure) -> Bool in
            let needed = budget.pageCount(ofRows: rowCount, byteCount: byteCount)
            guard try makeRoom(forPages: needed, in: database, &totals) else { return false }
            lastSequence = before
            for append in group { try insert(append, in: database) }
            lastSequence = before
            totals.accepted += Int64(rowCount)
            totals.inStore += Int64(rowCount)
            return true
        }
        guard hasFit else { throw .full }
        lastSequence = last
        lastCommitted = last
        mark?.write(last)
    }

    private func insert(_ append: EncodedAppend, in database: TagDatabase) throws(SQLiteFailure) {
        let fields = try fields(
            receivedWall: append.receivedWall, receivedBoot: append.receivedBoot, in: database)
        try database.append(append.entries, of: append.bytes.span, fields)
        lastSequence += Int64(append.rowCount)
    }

    /// The fields of the next row, and those that every row of its arrival has; id and encoding are each row's own.
    private func fields(
        receivedWall wall: Int64, receivedBoot boot: Int64, in database: TagDatabase
    ) throws(SQLiteFailure) -> RowFields {
        let now = ClockEpochs.Moment(
            wall: wall, boot: boot, bootID: clock.bootID, isTrusted: clock.isTrusted || isClockConfirmed)
        let number = try epoch(at: now, in: database)
        return RowFields(
            sequence: lastSequence + 1, id: TagID(high: 0, low: 0), receivedWall: wall, receivedBoot: boot,
            epoch: number, encoding: 0)
    }

    /// Deletes the oldest tags, step by step, until so many pages fit; false where the policy forbids it, or
    /// nothing is left to delete.
    private func makeRoom(
        forPages needed: Int, in database: TagDatabase, _ totals: inout StoreTotals
    ) throws(SQLiteFailure) -> Bool {
        let usable = min(pinnedPageCount ?? .max, budget.usablePageCount)
        while try !database.hasRoom(forPages: needed, within: usable) {
            guard settings.fullPolicy == .evictOldest else { return false }
            let count = try deleteOldestUnclaimed(StoreBudget.deletionStep, in: database)
            guard count > 0 else { return false }
            totals.inStore -= count
            totals.losses.evicted += count
        }
        return true
    }

    /// Deletes the oldest tags that are not being delivered; those that are only where no others are left.
    private func deleteOldestUnclaimed(_ count: Int, in database: TagDatabase) throws(SQLiteFailure) -> Int64
    {
        for range in unclaimed(in: 0...Int64.max) {
            let deleted = try database.deleteOldest(count, in: range)
            if deleted > 0 { return deleted }
        }
        return try database.deleteOldest(count, in: 0...Int64.max)
    }

    /// The parts of a range of sequences that are not being delivered.
    func unclaimed(in range: ClosedRange<Int64>) -> [ClosedRange<Int64>] {
        guard let claim, claim.overlaps(range) else { return [range] }
        var parts: [ClosedRange<Int64>] = []
        if range.lowerBound < claim.lowerBound { parts.append(range.lowerBound...(claim.lowerBound - 1)) }
        if claim.upperBound < range.upperBound { parts.append((claim.upperBound + 1)...range.upperBound) }
        return parts
    }

    // MARK: Memory

    /// Keeps in memory what the disk did not take.
    private func keepInMemory(_ append: EncodedAppend) -> Result<AppendOutcome, StoreError> {
        let number = epochs.enter(
            ClockEpochs.Moment(
                wall: append.receivedWall, boot: append.receivedBoot, bootID: clock.bootID,
                isTrusted: clock.isTrusted || isClockConfirmed),
            sequence: lastSequence + 1
        ).number
        var items: [MemoryRing.Item] = []
        let bytes = append.bytes.span
        for entry in append.entries {
            let fields = RowFields(
                sequence: lastSequence + 1 + Int64(items.count), id: entry.id,
                receivedWall: append.receivedWall, receivedBoot: append.receivedBoot, epoch: number,
                encoding: entry.encoding)
            items.append(MemoryRing.Item(fields: fields, body: bytes.extracting(entry.body).copy()))
        }
        if settings.fullPolicy == .refuseNewest, !ring.hasRoom(for: items) {
            counts.refuse(items.count)
            return .failure(.full)
        }
        let first = lastSequence + 1
        lastSequence += Int64(items.count)
        let lost = ring.append(items)
        totals.accepted += Int64(items.count)
        totals.inStore += Int64(items.count) - lost
        totals.losses.memoryLost += lost
        counts.publish(totals)
        return .success(AppendOutcome(sequences: first...lastSequence, durability: .memoryOnly))
    }

    /// Writes what is in memory, in steps; false where some of it had to stay.
    func writeRing() -> Bool {
        while !ring.isEmpty {
            var step: [MemoryRing.Item] = []
            var byteCount = 0
            for item in ring.items.prefix(StoreBudget.deletionStep) {
                if byteCount + item.byteCount > budget.maximumAppendByteCount, !step.isEmpty { break }
                byteCount += item.byteCount
                step.append(item)
            }
            guard let last = step.last?.fields.sequence else { return true }
            do throws(StoreError) {
                let hasFit = try transact { (database, totals) throws(SQLiteFailure) -> Bool in
                    let needed = budget.pageCount(ofRows: step.count, byteCount: byteCount)
                    guard try makeRoom(forPages: needed, in: database, &totals) else { return false }
                    try database.setMeta(MetaKey.epochs, Array(epochs.text.utf8))
                    for item in step { try database.append(item.fields, body: item.body.span) }
                    return true
                }
                guard hasFit else { return false }
            } catch {
                return false
            }
            _ = ring.remove { $0.sequence <= last }
            lastCommitted = last
            mark?.write(last)
        }
        return true
    }
}
