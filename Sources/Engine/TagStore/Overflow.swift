internal import ByteReading

/// Tags that the disk did not take, kept in memory until it does.
///
/// Used on the buffer's thread only.
final class Overflow {
    private(set) var rows: [StoredRow] = []
    private var byteCount = 0
    private let maximumByteCount: Int
    private let policy: StoreSettings.FullPolicy

    init(maximumByteCount: Int, policy: StoreSettings.FullPolicy) {
        self.maximumByteCount = maximumByteCount
        self.policy = policy
    }

    var isEmpty: Bool { rows.isEmpty }
    var count: Int { rows.count }

    /// Keeps the tags of an append, at the cost of the oldest here where there is no room; false, and nothing kept,
    /// where the policy is against that.
    func keep(_ append: EncodedAppend, epoch: Int64, through gate: DatabaseGate) -> Bool {
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
        guard policy == .evictOldest || byteCount + addedByteCount <= maximumByteCount else { return false }
        rows += added
        byteCount += addedByteCount
        var lost = 0
        while byteCount > maximumByteCount, lost < rows.count {
            byteCount -= rows[lost].byteCount
            lost += 1
        }
        rows.removeFirst(lost)
        gate.record { ledger in
            ledger.keepInMemory(added.count)
            ledger.loseFromMemory(Int64(lost))
        }
        return true
    }

    /// Writes the tags to the disk, in steps; false where some of them had to stay.
    func moveToDisk(
        through gate: DatabaseGate, _ space: Space, sparing inFlight: InFlightTags, stepByteCount: Int
    ) -> Bool {
        while !rows.isEmpty {
            let step = nextStep(byteCount: stepByteCount)
            guard let last = step.last?.fields.sequence else { return true }
            let stepBytes = step.reduce(0) { $0 + $1.byteCount }
            do throws(StoreError) {
                let hasFit = try gate.transact { (database, ledger) throws(SQLiteFailure) -> Bool in
                    guard
                        try space.makeRoom(
                            forRows: step.count, byteCount: stepBytes, in: database, sparing: inFlight,
                            &ledger)
                    else { return false }
                    for row in step { try database.tags.append(row) }
                    ledger.moveToDisk(step.count, upTo: last)
                    return true
                }
                guard hasFit else { return false }
            } catch {
                return false
            }
            rows.removeFirst(step.count)
            byteCount -= stepBytes
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

    /// Forgets those of the delivered tags that are here, and gives back the sequences of the others.
    func deliver(_ sequences: [Int64], through gate: DatabaseGate) -> [Int64] {
        guard let first = rows.first?.fields.sequence else { return sequences }
        let delivered = Set(sequences.filter { $0 >= first })
        let before = rows.count
        rows.removeAll { delivered.contains($0.fields.sequence) }
        byteCount = rows.reduce(0) { $0 + $1.byteCount }
        let count = Int64(before - rows.count)
        gate.record { $0.deliverFromMemory(count) }
        return sequences.filter { $0 < first }
    }

    /// Gives tags that are here another body, and gives back the others.
    func replaceBodies(_ tags: [ReleasedRow]) -> [ReleasedRow] {
        tags.filter { tag in
            guard let (encoding, body) = tag.stored,
                let index = rows.firstIndex(where: { $0.fields.sequence == tag.sequence })
            else { return true }
            var fields = rows[index].fields
            fields.encoding = encoding
            byteCount += body.count - rows[index].body.count
            rows[index] = StoredRow(fields: fields, body: body)
            return false
        }
    }

    /// Gives all of them up: the buffer is being closed, and the disk did not take them.
    func giveUp(through gate: DatabaseGate) {
        let count = Int64(rows.count)
        rows = []
        byteCount = 0
        gate.record { $0.loseFromMemory(count) }
    }
}
