internal import ByteReading

/// The tags kept in memory while the disk does not accept them.
///
/// Used only on the buffer's thread.
final class Overflow {
    private var kept: OverflowRows
    private let policy: StoreSettings.FullPolicy
    private let shares: OwnerShares

    init(maximumByteCount: Int, policy: StoreSettings.FullPolicy, shares: OwnerShares) {
        kept = OverflowRows(maximumByteCount: maximumByteCount)
        self.policy = policy
        self.shares = shares
    }

    var rows: [StoredRow] { kept.rows }
    var isEmpty: Bool { kept.rows.isEmpty }
    var count: Int { kept.rows.count }

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
        guard policy == .evictOldest || kept.byteCount + addedByteCount <= kept.maximumByteCount else {
            return false
        }
        let before = kept.rows.count
        for owner in kept.append(added, sharing: shares.equalShares) { gate.recordLoss(of: owner) }
        gate.record { ledger in
            ledger.keepInMemory(added.count)
            ledger.loseFromMemory(Int64(before + added.count - kept.rows.count))
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
            kept.removeFirst(step.count)
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
        let count = Int64(kept.remove(delivered))
        gate.record { $0.deliverFromMemory(count) }
        return sequences.filter { $0 < first }
    }

    /// Replaces the bodies of tags in memory and returns the tags that are not in memory.
    func replaceBodies(_ tags: [ReleasedRow]) -> [ReleasedRow] {
        tags.filter { tag in
            guard let (encoding, body) = tag.stored else { return true }
            return !kept.replaceBody(of: tag.sequence, with: body, encoding: encoding)
        }
    }

    /// Admits the quarantined tags in memory to delivery, or deletes them, and returns their number.
    func admit(deleting isDeleting: Bool, through gate: DatabaseGate) -> Int64 {
        if !isDeleting { return Int64(kept.admit()) }
        let quarantined = rows.filter(\.fields.owner.isQuarantined).map(\.fields.sequence)
        let count = Int64(kept.remove(Set(quarantined)))
        gate.record { $0.loseFromMemory(count) }
        return count
    }

    /// Counts all tags in memory as lost, when the buffer is closed and the disk did not accept them.
    func giveUp(through gate: DatabaseGate) {
        let count = Int64(kept.removeAll())
        gate.record { $0.loseFromMemory(count) }
    }
}
