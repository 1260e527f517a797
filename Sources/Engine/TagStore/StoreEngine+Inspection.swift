extension StoreEngine {
    func verify() throws(StoreError) -> StoreVerification {
        let database = try opened()
        var found = StoreVerification()
        do throws(SQLiteFailure) {
            found.structureProblems = try database.structureProblems()
            var position: Int64 = -1
            var isAtEnd = false
            while !isAtEnd {
                let before = found.rowCount
                try database.visitRows(after: position, maximumCount: 10_000) { fields, stored, isWhole in
                    position = fields.sequence
                    found.rowCount += 1
                    if !isWhole || decompressor.body(of: stored, encoding: fields.encoding) == nil {
                        found.damagedCount += 1
                        if found.damagedSequences.count < 64 {
                            found.damagedSequences.append(fields.sequence)
                        }
                    }
                    return true
                }
                isAtEnd = found.rowCount == before
            }
        } catch {
            found.structureProblems.append(error.message)
        }
        found.rowCount += Int64(ring.count)
        found.lastSequence = lastSequence
        if case .sequence(let marked) = mark?.read() { found.highWaterMark = marked }
        found.totals = counts.totals
        return found
    }
}
