internal import ByteReading

/// The reader for tags and dead letters on the disk and in memory.
///
/// Used only on the buffer's thread.
final class TagReader {
    private let gate: DatabaseGate
    private let overflow: Overflow
    private var decoder: BodyDecoder

    init(gate: DatabaseGate, overflow: Overflow, decoder: consuming BodyDecoder) {
        self.gate = gate
        self.overflow = overflow
        self.decoder = decoder
    }

    /// Returns tags until a limit is reached, but at least one if there is any.
    ///
    /// Tags on the disk come before those in memory only. Damaged rows are removed and counted.
    ///
    /// - Parameter held: The sequences that are not delivered, for a batch, which has no quarantined tags either.
    func tags(
        after sequence: Int64, maximumCount: Int, maximumByteCount: Int = .max,
        passing held: Set<Int64>? = nil
    ) throws(StoreError) -> [StoredTag] {
        guard (1...10_000).contains(maximumCount) else { throw .invalidSetting(name: "maximumCount") }
        guard maximumByteCount > 0 else { throw .invalidSetting(name: "maximumByteCount") }
        var page = Page(maximumCount: maximumCount, maximumByteCount: maximumByteCount)
        if try isDiskReadable() { try readDisk(after: sequence, passing: held, into: &page) }
        for row in overflow.rows where row.fields.sequence > sequence && !page.isFull {
            if row.fields.isPassed(by: held) { continue }
            guard let body = decoder.body(of: row.body.span, encoding: row.fields.encoding) else { continue }
            page.add(StoredTag(row.fields, body: body))
        }
        return page.tags
    }

    /// The tags collected by one call, with its limits.
    private struct Page {
        let maximumCount: Int
        let maximumByteCount: Int
        private(set) var tags: [StoredTag] = []
        private(set) var isFull = false
        private var byteCount = 0

        init(maximumCount: Int, maximumByteCount: Int) {
            self.maximumCount = maximumCount
            self.maximumByteCount = maximumByteCount
        }

        /// Adds a tag if it is within the limits.
        mutating func add(_ tag: StoredTag) {
            guard tags.isEmpty || byteCount + tag.body.count <= maximumByteCount else {
                isFull = true
                return
            }
            byteCount += tag.body.count
            tags.append(tag)
            isFull = tags.count == maximumCount
        }
    }

    private func readDisk(
        after sequence: Int64, passing held: Set<Int64>?, into page: inout Page
    ) throws(StoreError) {
        var position = sequence
        while !page.isFull {
            var damaged: [Int64] = []
            var visitedCount = 0
            let wanted = page.maximumCount - page.tags.count
            // A recovery repeats the read, so the results of an attempt count only if it completes.
            (page, position) = try gate.read {
                database throws(SQLiteFailure) in
                var draft = page
                var next = position
                damaged = []
                visitedCount = 0
                try database.tags.visit(after: next, maximumCount: wanted) { fields, stored, isIntact in
                    visitedCount += 1
                    next = fields.sequence
                    if isIntact, fields.isPassed(by: held) { return true }
                    if isIntact, let body = decoder.body(of: stored, encoding: fields.encoding) {
                        draft.add(StoredTag(fields, body: body))
                    } else {
                        damaged.append(fields.sequence)
                    }
                    return !draft.isFull
                }
                return (draft, next)
            }
            try removeDamaged(damaged)
            if visitedCount < wanted { break }
        }
    }

    /// Returns whether the database is open.
    ///
    /// If it is not, tags in memory can still be delivered; without any, the error is thrown, except in a new buffer.
    private func isDiskReadable() throws(StoreError) -> Bool {
        do throws(StoreError) {
            try gate.ensureOpen()
            return true
        } catch {
            guard error != .closed, !overflow.isEmpty || gate.isWithoutDatabase else { throw error }
            return false
        }
    }

    private func removeDamaged(_ sequences: [Int64]) throws(StoreError) {
        guard !sequences.isEmpty else { return }
        try gate.transact { (database, ledger) throws(SQLiteFailure) in
            for sequence in sequences {
                ledger.remove(try database.tags.delete(sequence...sequence), as: \.damaged)
            }
        }
    }

    /// Returns the readable dead letters, oldest first.
    func deadLetters(after sequence: Int64, maximumCount: Int) throws(StoreError) -> [DeadLetter] {
        guard (1...10_000).contains(maximumCount) else { throw .invalidSetting(name: "maximumCount") }
        return try gate.read { database throws(SQLiteFailure) in
            var list: [DeadLetter] = []
            try database.deadLetters.visit(after: sequence, maximumCount: maximumCount) {
                fields, stored, isIntact, code, refused in
                guard isIntact, let body = decoder.body(of: stored, encoding: fields.encoding) else { return }
                list.append(DeadLetter(tag: StoredTag(fields, body: body), code: code, refused: refused))
            }
            return list
        }
    }

    /// Reads and verifies every row; changes nothing.
    func verify() throws(StoreError) -> StoreVerification {
        var found = StoreVerification()
        try gate.inspect { database throws(SQLiteFailure) in
            found.structureProblems = try database.structureProblems()
            var position: Int64 = -1
            var isAtEnd = false
            while !isAtEnd {
                let before = found.rowCount
                try database.tags.visit(after: position, maximumCount: 10_000) { fields, stored, isIntact in
                    position = fields.sequence
                    found.rowCount += 1
                    if !isIntact || decoder.body(of: stored, encoding: fields.encoding) == nil {
                        found.addDamage(at: fields.sequence)
                    }
                    return true
                }
                isAtEnd = found.rowCount == before
            }
        } otherwise: {
            found.structureProblems.append($0.message)
        }
        found.rowCount += Int64(overflow.count)
        found.lastSequence = gate.ledger.lastSequence
        found.highWaterMark = gate.highWaterMark
        found.totals = gate.totals
        return found
    }
}

extension StoredTag {
    fileprivate init(_ fields: RowFields, body: [UInt8]) {
        self.init(sequence: fields.sequence, id: fields.id, received: fields.receivedWall, body: body)
    }
}

extension RowFields {
    /// Whether a batch leaves the tag out, because it is held or quarantined; other readers pass nil.
    fileprivate func isPassed(by held: Set<Int64>?) -> Bool {
        held.map { owner.isQuarantined || $0.contains(sequence) } ?? false
    }
}
