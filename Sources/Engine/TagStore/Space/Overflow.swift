internal import ByteReading

/// The tags kept in memory while the disk does not accept them.
///
/// Used only on the buffer's thread.
final class Overflow {
    /// The rows, oldest first.
    private(set) var rows: [StoredRow] = []
    /// The approximate size of the rows in memory.
    private(set) var byteCount = 0
    private let maximumByteCount: Int
    private let policy: StoreSettings.FullPolicy
    private let shares: OwnerShares

    init(maximumByteCount: Int, policy: StoreSettings.FullPolicy, shares: OwnerShares) {
        self.maximumByteCount = maximumByteCount
        self.policy = policy
        self.shares = shares
    }

    var isEmpty: Bool { rows.isEmpty }
    var count: Int { rows.count }

    /// Keeps the tags of an append in memory and evicts the oldest ones here if there is no room.
    ///
    /// Returns false and keeps none of the tags if the policy forbids eviction.
    func append(_ append: EncodedAppend, epoch: Int64, through gate: DatabaseGate) -> Bool {
        let first = gate.ledger.lastSequence + 1
        let bytes = append.bytes.span
        var added: [StoredRow] = []
        added.reserveCapacity(append.rowCount)
        for entry in append.entries {
            let fields = RowFields(
                sequence: first + Int64(added.count), id: entry.id, receivedWall: append.receivedWall,
                receivedBoot: append.receivedBoot, epoch: epoch, encoding: entry.encoding)
            added.append(StoredRow(fields: fields, body: bytes.extracting(entry.body).copy()))
        }
        let addedByteCount = added.reduce(0) { $0 + $1.byteCount }
        guard policy == .evictOldest || byteCount + addedByteCount <= maximumByteCount else {
            return false
        }
        let before = rows.count
        for owner in add(added) { gate.recordLoss(of: owner) }
        gate.record { ledger in
            ledger.keepInMemory(added.count)
            ledger.loseFromMemory(Int64(before + added.count - rows.count))
        }
        return true
    }

    /// Writes the tags to the disk in steps; returns false if some remain in memory.
    func moveToDisk(
        through gate: DatabaseGate, _ space: Space, sparing inFlight: InFlightTags, stepByteCount: Int
    ) -> Bool {
        while !rows.isEmpty {
            let step = nextStep(byteCount: stepByteCount)
            guard let last = step.last?.fields.sequence else { return true }
            var incoming = IncomingRows(
                rowCount: step.count, byteCount: step.reduce(0) { $0 + $1.byteCount })
            do throws(StoreError) {
                try space.evictAboveShare(
                    for: &incoming,
                    recordByteCount: step.reduce(0) {
                        $0 + ($1.fields.owner.admitted == .records ? $1.byteCount : 0)
                    },
                    listing: { step.map { ($0.fields.owner, $0.body.count + EncodedAppend.fieldByteCount) } },
                    through: gate, sparing: inFlight)
                let hasFit = try gate.transact {
                    [incoming] (database, ledger) throws(SQLiteFailure) -> Bool in
                    guard try space.makeRoom(for: incoming, in: database, sparing: inFlight, &ledger)
                    else { return false }
                    var rows = incoming
                    ledger.moveToDisk(step.count, upTo: last)
                    for row in step {
                        if rows.skips(row.fields.owner) {
                            ledger.remove(1, as: \.evicted)
                        } else {
                            try database.tags.append(row)
                        }
                    }
                    return true
                }
                guard hasFit else { return false }
            } catch {
                return false
            }
            byteCount -= step.reduce(0) { $0 + $1.byteCount }
            rows.removeFirst(step.count)
        }
        return true
    }

    private func nextStep(byteCount limit: Int) -> [StoredRow] {
        var step: [StoredRow] = []
        var bytes = 0
        for row in rows.prefix(StoreBudget.deletionStep) {
            if bytes + row.byteCount > limit, !step.isEmpty { break }
            bytes += row.byteCount
            step.append(row)
        }
        return step
    }

    /// Removes the delivered tags that are in memory and returns the sequences of the others.
    func deliver(_ sequences: [Int64], through gate: DatabaseGate) -> [Int64] {
        guard let first = rows.first?.fields.sequence else { return sequences }
        let delivered = Set(sequences.filter { $0 >= first })
        let count = Int64(remove(delivered))
        gate.record { $0.deliverFromMemory(count) }
        return sequences.filter { $0 < first }
    }

    /// Replaces the bodies of tags in memory and returns the tags that are not in memory.
    func replaceBodies(_ tags: [ReleasedTag]) -> [ReleasedTag] {
        tags.filter { tag in
            guard let body = tag.body else { return true }
            return !replaceBody(of: tag.sequence, with: body, encoding: tag.encoding)
        }
    }

    /// Admits the quarantined tags in memory to delivery, or deletes them, and returns their number.
    func admit(deleting isDeleting: Bool, through gate: DatabaseGate) -> Int64 {
        let quarantined = rows.indices.filter { rows[$0].fields.owner.isQuarantined }
        guard isDeleting else {
            for index in quarantined {
                var fields = rows[index].fields
                fields.encoding = fields.owner.admitted.column(encoding: fields.encoding)
                rows[index] = StoredRow(fields: fields, body: rows[index].body)
            }
            return Int64(quarantined.count)
        }
        let count = Int64(remove(Set(quarantined.map { rows[$0].fields.sequence })))
        gate.record { $0.loseFromMemory(count) }
        return count
    }

    /// Counts all tags in memory as lost, when the buffer is closed and the disk did not accept them.
    func giveUp(through gate: DatabaseGate) {
        let count = Int64(rows.count)
        rows = []
        byteCount = 0
        gate.record { $0.loseFromMemory(count) }
    }

    // MARK: Rows

    /// Appends rows and, if necessary, evicts rows of owners above their share, then the oldest rows.
    ///
    /// Records other than tags have a share in any case.
    ///
    /// - Returns: The owners that lost rows because they exceeded their share.
    func add(_ added: [StoredRow]) -> Set<TagOwner> {
        rows += added
        byteCount += added.reduce(0) { $0 + $1.byteCount }
        guard byteCount > maximumByteCount else { return [] }
        let equalShares = shares.equalShares
        let hasShares = !equalShares.isEmpty || rows.contains { $0.fields.owner.admitted == .records }
        let losing = hasShares ? removeAboveShare(equalShares) : []
        let excess = rows.prefix { row in
            guard byteCount > maximumByteCount else { return false }
            byteCount -= row.byteCount
            return true
        }
        rows.removeFirst(excess.count)
        return losing
    }

    private func removeAboveShare(_ equalShares: [TagOwner: Double]) -> Set<TagOwner> {
        var use = OwnerUse()
        use.complete()
        for row in rows { use.change(by: row.byteCount, of: row.fields.owner, sequence: 0) }
        var losing: Set<TagOwner> = []
        while byteCount > maximumByteCount, let owner = use.furthestAboveShare(equalShares) {
            losing.insert(owner)
            rows.removeAll { row in
                guard row.fields.owner == owner, byteCount > maximumByteCount,
                    use.furthestAboveShare(equalShares) == owner
                else { return false }
                use.change(by: -row.byteCount, of: owner, sequence: 0)
                byteCount -= row.byteCount
                return true
            }
        }
        return losing
    }

    /// Removes the rows with the given sequences and returns their number.
    private func remove(_ sequences: Set<Int64>) -> Int {
        let before = rows.count
        rows.removeAll { sequences.contains($0.fields.sequence) }
        byteCount = rows.reduce(0) { $0 + $1.byteCount }
        return before - rows.count
    }

    /// Replaces the body of a row; returns false if the row is not in memory.
    private func replaceBody(of sequence: Int64, with body: [UInt8], encoding: Int64) -> Bool {
        guard let index = rows.firstIndex(where: { $0.fields.sequence == sequence }) else { return false }
        var fields = rows[index].fields
        fields.encoding = fields.owner.column(encoding: encoding)
        byteCount += body.count - rows[index].body.count
        rows[index] = StoredRow(fields: fields, body: body)
        return true
    }
}
