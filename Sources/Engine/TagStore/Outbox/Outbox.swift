/// The outgoing side of the buffer: the tags in flight, the answers of sinks, and the dead letters.
///
/// Used only on the buffer's thread.
final class Outbox {
    /// The maximum size of the sender's state, in bytes.
    static let maximumStateByteCount = 4_096

    private(set) var inFlight = InFlightTags()
    /// The sequences that are excluded from batches until they are released.
    ///
    /// They are known only to this process. After a restart, their tags are delivered with their original bodies.
    private var held: Set<Int64> = []
    let gate: DatabaseGate
    private let space: Space
    private let overflow: Overflow
    private let reader: TagReader

    init(gate: DatabaseGate, space: Space, overflow: Overflow, reader: TagReader) {
        self.gate = gate
        self.space = space
        self.overflow = overflow
        self.reader = reader
    }

    // MARK: Batches

    /// Prepares for a new batch: tags outside `kept` are no longer in flight.
    func beginBatch(keeping kept: ClosedRange<Int64>?) { inFlight.beginBatch(keeping: kept) }

    /// Returns the next tags and marks them as in flight.
    func takeBatch(
        after sequence: Int64, maximumCount: Int, maximumByteCount: Int
    ) throws(StoreError) -> [StoredTag] {
        let batch = try reader.tags(
            after: sequence, maximumCount: maximumCount, maximumByteCount: maximumByteCount, passing: held)
        inFlight.add(batch)
        return batch
    }

    /// Excludes tags from delivery.
    func hold(_ sequences: ClosedRange<Int64>) { held.formUnion(sequences) }

    /// Makes held tags available for delivery and replaces some of their bodies, in one transaction.
    ///
    /// - Parameter tags: The tags with their new bodies in stored form.
    func release(_ tags: [ReleasedTag]) throws(StoreError) {
        let changed = overflow.replaceBodies(tags.filter { $0.body != nil })
        if !changed.isEmpty {
            try gate.transact { (database, _) throws(SQLiteFailure) in
                for tag in changed {
                    guard let body = tag.body else { continue }
                    try database.tags.replaceBody(of: tag.sequence, with: body.span, encoding: tag.encoding)
                }
            }
        }
        for tag in tags { held.remove(tag.sequence) }
    }

    /// Admits all quarantined tags to delivery, or deletes them, in steps; returns their number.
    func admit(deleting isDeleting: Bool) throws(StoreError) -> Int64 {
        var count = overflow.admit(deleting: isDeleting, through: gate)
        if gate.isWithoutDatabase { return count }
        var last: Int64 = 0
        while true {
            let step = try gate.read { [last] database throws(SQLiteFailure) in
                try database.tags.quarantined(after: last)
            }
            guard let end = step.last else { return count }
            last = end
            count += Int64(step.count)
            try gate.transact { (database, ledger) throws(SQLiteFailure) in
                for sequence in step {
                    if isDeleting {
                        ledger.remove(try database.tags.delete(sequence...sequence), as: \.pruned)
                    } else {
                        try database.tags.admit(sequence)
                    }
                }
            }
        }
    }

    /// Clears the tags in flight when the buffer is closed.
    func endBatches() { inFlight = InFlightTags() }

    /// Removes delivered tags and moves refused tags to the dead letters.
    ///
    /// Uses one transaction per step of the delivered tags. The last one includes the refused tags and the sender's
    /// state.
    func acknowledge(_ answer: Acknowledgement, at wall: Int64) throws(StoreError) {
        if let state = answer.deliveryState, state.count > Self.maximumStateByteCount {
            throw .invalidSetting(name: "deliveryState")
        }
        inFlight.acknowledge(answer.delivered.count + answer.refused.count)
        let refused = Set(answer.refused.map(\.sequence))
        let sequences = answer.delivered.filter { !refused.contains($0) }.sorted()
        let onDisk = overflow.deliver(sequences, through: gate)
        if onDisk.isEmpty, refused.isEmpty { return try set(answer.deliveryState) }
        var steps = onDisk.steps(of: StoreBudget.deletionStep)
        let last = steps.popLast() ?? []
        for step in steps {
            try gate.transact { (database, ledger) throws(SQLiteFailure) in
                try Self.forget(step, in: database, &ledger)
            }
        }
        try gate.transact { (database, ledger) throws(SQLiteFailure) in
            try Self.forget(last, in: database, &ledger)
            for refusal in answer.refused {
                let code = String(decoding: refusal.code.utf8.prefix(64), as: UTF8.self)
                if try database.deadLetters.copy(refusal.sequence, code: code, at: wall) {
                    let count = try database.tags.delete(refusal.sequence...refusal.sequence)
                    ledger.remove(count, as: \.dead)
                }
            }
            if let state = answer.deliveryState { try database.meta.set(MetaKey.deliveryState, state) }
        }
        if !refused.isEmpty { try space.boundDeadLetters(through: gate) }
    }

    /// Stores the sender's state, unless the disk is full: it is needed only after a restart.
    private func set(_ state: [UInt8]?) throws(StoreError) {
        guard let state, !gate.isWithoutDatabase else { return }
        do throws(StoreError) {
            try gate.transact { (database, _) throws(SQLiteFailure) in
                try database.meta.set(MetaKey.deliveryState, state)
            }
        } catch {
            if !error.isDiskFull { throw error }
        }
    }

    private static func forget(
        _ sequences: [Int64], in database: TagDatabase, _ ledger: inout Ledger
    ) throws(SQLiteFailure) {
        for run in sequences.runs { ledger.deliver(try database.tags.delete(run)) }
    }

    // MARK: Queries

    func deliveryState() throws(StoreError) -> [UInt8] {
        if gate.isWithoutDatabase { return [] }
        return try gate.read { database throws(SQLiteFailure) in
            try database.meta.value(MetaKey.deliveryState) ?? []
        }
    }
}

extension [Int64] {
    /// Returns the elements in order, split into pieces of at most `count`.
    fileprivate func steps(of count: Int) -> [[Int64]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }

    /// The contiguous ranges in the sorted numbers.
    fileprivate var runs: [ClosedRange<Int64>] {
        var runs: [ClosedRange<Int64>] = []
        for number in self {
            if let last = runs.last, number <= last.upperBound || number - 1 == last.upperBound {
                runs[runs.count - 1] = last.lowerBound...Swift.max(last.upperBound, number)
            } else {
                runs.append(number...number)
            }
        }
        return runs
    }
}

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
