/// The rows in memory, oldest first, within a size limit.
struct OverflowRows: Sendable {
    private(set) var rows: [StoredRow] = []
    /// The approximate size of the rows in memory.
    private(set) var byteCount = 0
    let maximumByteCount: Int

    init(maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }

    /// Appends rows and, if necessary, evicts rows of owners above their share, then the oldest rows.
    ///
    /// - Parameter equalShares: The same as in `OwnerUse`; records other than tags have a share in any case.
    /// - Returns: The owners that lost rows because they exceeded their share.
    mutating func append(_ added: [StoredRow], sharing equalShares: [TagOwner: Double]) -> Set<TagOwner> {
        rows += added
        byteCount += added.reduce(0) { $0 + $1.byteCount }
        guard byteCount > maximumByteCount else { return [] }
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

    private mutating func removeAboveShare(_ equalShares: [TagOwner: Double]) -> Set<TagOwner> {
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

    /// Removes the oldest rows.
    mutating func removeFirst(_ count: Int) {
        byteCount -= rows.prefix(count).reduce(0) { $0 + $1.byteCount }
        rows.removeFirst(count)
    }

    /// Removes the rows with the given sequences and returns their number.
    mutating func remove(_ sequences: Set<Int64>) -> Int {
        let before = rows.count
        rows.removeAll { sequences.contains($0.fields.sequence) }
        byteCount = rows.reduce(0) { $0 + $1.byteCount }
        return before - rows.count
    }

    /// Replaces the body of a row; returns false if the row is not in memory.
    mutating func replaceBody(of sequence: Int64, with body: [UInt8], encoding: Int64) -> Bool {
        guard let index = rows.firstIndex(where: { $0.fields.sequence == sequence }) else { return false }
        var fields = rows[index].fields
        fields.encoding = fields.owner.column(encoding: encoding)
        byteCount += body.count - rows[index].body.count
        rows[index] = StoredRow(fields: fields, body: body)
        return true
    }

    /// Admits the quarantined rows to delivery, and returns their number.
    mutating func admit() -> Int {
        let indices = rows.indices.filter { rows[$0].fields.owner.isQuarantined }
        for index in indices {
            var fields = rows[index].fields
            fields.encoding = fields.owner.admitted.column(encoding: fields.encoding)
            rows[index] = StoredRow(fields: fields, body: rows[index].body)
        }
        return indices.count
    }

    /// Removes all rows and returns their number.
    mutating func removeAll() -> Int {
        defer {
            rows = []
            byteCount = 0
        }
        return rows.count
    }
}
