extension StoreEngine {
    func nextBatch(
        maximumCount: Int, maximumByteCount: Int, after sequence: Int64, sparing underWay: ClosedRange<Int64>?
    ) throws(StoreError) -> [StoredTag] {
        guard (1...10_000).contains(maximumCount), maximumByteCount > 0 else {
            throw .invalidSetting(name: "maximumCount")
        }
        claim = underWay
        if underWay == nil { handedOutCount = 0 }
        if !ring.isEmpty { _ = writeRing() }
        rest()
        let batch = try rows(after: sequence, maximumCount: maximumCount, maximumByteCount: maximumByteCount)
        if let first = batch.first?.sequence, let last = batch.last?.sequence {
            claim = min(first, underWay?.lowerBound ?? first)...max(last, underWay?.upperBound ?? last)
        }
        handedOutCount += batch.count
        tell()
        return batch
    }

    func tags(after sequence: Int64, maximumCount: Int) throws(StoreError) -> [StoredTag] {
        guard (1...10_000).contains(maximumCount) else { throw .invalidSetting(name: "maximumCount") }
        return try rows(after: sequence, maximumCount: maximumCount, maximumByteCount: .max)
    }

    /// Rows as tags, those of the memory after those of the disk; rows that are damaged are removed and counted.
    private func rows(
        after sequence: Int64, maximumCount: Int, maximumByteCount: Int
    ) throws(StoreError) -> [StoredTag] {
        var batch: [StoredTag] = []
        var byteCount = 0
        var isFull = false
        var position = sequence
        let isDiskReadable = try isDiskReadable()
        while isDiskReadable && !isFull {
            var damaged: [Int64] = []
            var visited = 0
            let wanted = maximumCount - batch.count
            try read { database throws(SQLiteFailure) in
                try database.visitRows(after: position, maximumCount: wanted) { fields, stored, isWhole in
                    visited += 1
                    position = fields.sequence
                    guard isWhole, let body = decompressor.body(of: stored, encoding: fields.encoding) else {
                        damaged.append(fields.sequence)
                        return true
                    }
                    guard batch.isEmpty || byteCount + body.count <= maximumByteCount else {
                        isFull = true
                        return false
                    }
                    byteCount += body.count
                    batch.append(StoredTag(fields, body: body))
                    return true
                }
            }
            try removeDamaged(damaged)
            if visited < wanted || batch.count >= maximumCount { break }
        }
        for item in ring.items where !isFull && item.fields.sequence > sequence && batch.count < maximumCount
        {
            guard let body = decompressor.body(of: item.body.span, encoding: item.fields.encoding) else {
                continue
            }
            if !batch.isEmpty && byteCount + body.count > maximumByteCount { break }
            byteCount += body.count
            batch.append(StoredTag(item.fields, body: body))
        }
        return batch
    }

    /// Whether there is a database to read; where there is none, what is in memory can still be delivered.
    private func isDiskReadable() throws(StoreError) -> Bool {
        do throws(StoreError) {
            _ = try opened()
            return true
        } catch {
            guard error != .closed, !ring.isEmpty else { throw error }
            return false
        }
    }

    private func removeDamaged(_ sequences: [Int64]) throws(StoreError) {
        guard !sequences.isEmpty else { return }
        try transact { (database, totals) throws(SQLiteFailure) in
            for sequence in sequences {
                let count = try database.delete(sequence...sequence)
                totals.inStore -= count
                totals.losses.damaged += count
            }
        }
    }

    func settle(_ settlement: Settlement) throws(StoreError) {
        guard directory != nil else { throw .closed }
        if let state = settlement.deliveryState, state.count > 4_096 {
            throw .invalidSetting(name: "deliveryState")
        }
        let settledCount = settlement.delivered.count + settlement.rejected.count
        // Where nothing is settled but the sender's state, the batch has come back as it went.
        handedOutCount = settledCount == 0 ? 0 : max(0, handedOutCount - settledCount)
        let rejected = Set(settlement.rejected.map(\.sequence))
        let sequences = settlement.delivered.filter { !rejected.contains($0) }.sorted()
        let onDisk = settleInMemory(sequences)
        if onDisk.isEmpty, rejected.isEmpty, settlement.deliveryState == nil { return }
        var steps = onDisk.steps(of: StoreBudget.deletionStep)
        if steps.isEmpty { steps.append([]) }
        for (index, step) in steps.enumerated() {
            let isLast = index == steps.count - 1
            try transact { (database, totals) throws(SQLiteFailure) in
                for run in step.runs {
                    let count = try database.delete(run)
                    totals.inStore -= count
                    totals.delivered += count
                }
                guard isLast else { return }
                for rejection in settlement.rejected { try bury(rejection, in: database, &totals) }
                if let state = settlement.deliveryState { try database.setMeta(MetaKey.deliveryState, state) }
            }
        }
        if !settlement.rejected.isEmpty { try boundDead() }
        rest()
    }

    /// Forgets what is in memory only, and gives back what is not.
    private func settleInMemory(_ sequences: [Int64]) -> [Int64] {
        guard let first = ring.items.first?.fields.sequence else { return sequences }
        let delivered = Set(sequences.filter { $0 >= first })
        let forgotten = ring.remove { delivered.contains($0.sequence) }
        totals.inStore -= forgotten
        totals.delivered += forgotten
        counts.publish(totals)
        return sequences.filter { $0 < first }
    }

    private func bury(
        _ rejection: Settlement.Rejection, in database: TagDatabase, _ totals: inout StoreTotals
    ) throws(SQLiteFailure) {
        let code = String(decoding: rejection.code.utf8.prefix(64), as: UTF8.self)
        let isBuried = try database.bury(rejection.sequence, code: code, at: clock.wallMilliseconds)
        guard isBuried else { return }
        totals.inStore -= 1
        totals.losses.dead += 1
    }

    /// Keeps the dead within their bound; those that go were counted when they came.
    private func boundDead() throws(StoreError) {
        while true {
            let byteCount = try read { database throws(SQLiteFailure) in try database.deadByteCount() }
            guard byteCount > budget.deadByteCount else { return }
            try transact { (database, _) throws(SQLiteFailure) in try database.deleteOldestDead(64) }
        }
    }

    func deliveryState() throws(StoreError) -> [UInt8] {
        try read { database throws(SQLiteFailure) in try database.meta(MetaKey.deliveryState) ?? [] }
    }

    func deadTags(after sequence: Int64, maximumCount: Int) throws(StoreError) -> [DeadTag] {
        guard (1...10_000).contains(maximumCount) else { throw .invalidSetting(name: "maximumCount") }
        var list: [DeadTag] = []
        try read { database throws(SQLiteFailure) in
            list = []
            try database.visitDead(after: sequence, maximumCount: maximumCount) {
                fields, stored, isWhole, code, refused in
                guard isWhole, let body = decompressor.body(of: stored, encoding: fields.encoding) else {
                    return
                }
                list.append(DeadTag(tag: StoredTag(fields, body: body), code: code, refused: refused))
            }
        }
        return list
    }
}

extension StoredTag {
    init(_ fields: RowFields, body: [UInt8]) {
        self.init(sequence: fields.sequence, id: fields.id, received: fields.receivedWall, body: body)
    }
}

extension Array where Element == Int64 {
    /// The elements in order, cut into pieces.
    func steps(of count: Int) -> [[Int64]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }

    /// The ranges without a gap that sorted numbers form.
    var runs: [ClosedRange<Int64>] {
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
