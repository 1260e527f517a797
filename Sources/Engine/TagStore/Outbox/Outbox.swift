/// The way out: which tags are in flight, what becomes of those that a sink has answered for, and the dead letters.
///
/// Used on the buffer's thread only.
final class Outbox {
    /// What a sender may keep here.
    static let maximumStateByteCount = 4_096

    private(set) var inFlight = InFlightTags()
    /// The sequences that are in no batch until they are released.
    ///
    /// Only this process keeps them: what it leaves behind is delivered with the body that it was appended with.
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

    /// A batch is asked for: what was in flight no longer is, but for `kept`.
    func beginBatch(keeping kept: ClosedRange<Int64>?) { inFlight.beginBatch(keeping: kept) }

    /// The next tags, which are in flight from now on.
    func takeBatch(
        after sequence: Int64, maximumCount: Int, maximumByteCount: Int
    ) throws(StoreError) -> [StoredTag] {
        let batch = try reader.tags(
            after: sequence, maximumCount: maximumCount, maximumByteCount: maximumByteCount, passing: held)
        inFlight.add(batch)
        return batch
    }

    /// Keeps tags from being delivered.
    func hold(_ sequences: ClosedRange<Int64>) { held.formUnion(sequences) }

    /// Lets held tags be delivered, some of them with another body, in one transaction.
    func release(_ tags: [ReleasedRow]) throws(StoreError) {
        let changed = overflow.replaceBodies(tags.filter { $0.stored != nil })
        if !changed.isEmpty {
            try gate.transact { (database, _) throws(SQLiteFailure) in
                for tag in changed {
                    guard let stored = tag.stored else { continue }
                    try database.tags.replaceBody(
                        of: tag.sequence, with: stored.body.span, encoding: stored.encoding)
                }
            }
        }
        for tag in tags { held.remove(tag.sequence) }
    }

    /// Nothing is in flight any more: the buffer is being closed.
    func endBatches() { inFlight = InFlightTags() }

    /// Removes what was delivered and moves what was refused to the dead letters, in a transaction for each step of
    /// the delivered; the refused and the sender's state go with the last.
    func acknowledge(_ answer: Acknowledgement, at wall: Int64) throws(StoreError) {
        if let state = answer.deliveryState, state.count > Self.maximumStateByteCount {
            throw .invalidSetting(name: "deliveryState")
        }
        inFlight.acknowledge(answer.delivered.count + answer.refused.count)
        let refused = Set(answer.refused.map(\.sequence))
        let sequences = answer.delivered.filter { !refused.contains($0) }.sorted()
        let onDisk = overflow.deliver(sequences, through: gate)
        if onDisk.isEmpty, refused.isEmpty, answer.deliveryState == nil { return }
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

    private static func forget(
        _ sequences: [Int64], in database: TagDatabase, _ ledger: inout Ledger
    ) throws(SQLiteFailure) {
        for run in sequences.runs { ledger.deliver(try database.tags.delete(run)) }
    }

    // MARK: Looking

    func deliveryState() throws(StoreError) -> [UInt8] {
        try gate.read { database throws(SQLiteFailure) in
            try database.meta.value(MetaKey.deliveryState) ?? []
        }
    }

    func deadLetters(after sequence: Int64, maximumCount: Int) throws(StoreError) -> [DeadLetter] {
        try reader.deadLetters(after: sequence, maximumCount: maximumCount)
    }
}

extension [Int64] {
    /// The elements in order, in pieces of that count.
    fileprivate func steps(of count: Int) -> [[Int64]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }

    /// The ranges without a gap that sorted numbers form.
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
