internal import ByteReading

/// The rows of single owners: how much they use, which of them go first, and which are in quarantine.
extension TagTable {
    /// Counts the bytes per owner for up to `maximumRowCount` further rows.
    ///
    /// Later insertions and deletions keep the counts current.
    func countUse(maximumRowCount: Int) throws(SQLiteFailure) {
        var use = use ?? OwnerUse()
        if use.isComplete { return }
        try selectionForUse.bind(use.countedUpTo, at: 1)
        try selectionForUse.bind(Int64(maximumRowCount), at: 2)
        var count = 0
        while try selectionForUse.step() {
            count += 1
            use.count(
                Int(clamping: selectionForUse.integer(at: 2)) + EncodedAppend.fieldByteCount,
                of: TagOwner(ofColumn: selectionForUse.integer(at: 1)),
                sequence: selectionForUse.integer(at: 0))
        }
        if count < maximumRowCount { use.complete() }
        self.use = use
    }

    /// Counts bytes of an owner that are not those of a tag.
    func countUse(of owner: TagOwner, _ difference: Int) {
        use?.change(by: difference, of: owner, sequence: OwnerUse.withoutSequence)
    }

    /// Discards the byte counts per owner.
    func forgetUse() { use = nil }

    /// Deletes one step of an owner's oldest rows in some ranges and returns their number.
    func deleteOldest(of owner: TagOwner, in ranges: [ClosedRange<Int64>]) throws(SQLiteFailure) -> Int64 {
        let first = use?.firstSequence(of: owner) ?? 0
        for range in ranges where range.upperBound >= first {
            let rows = max(first, range.lowerBound)...range.upperBound
            guard let step = try step(of: owner, in: rows) else { continue }
            try deletionOfOwned.bind(owner.upperHalf, at: 3)
            let count = try delete(step, by: deletionOfOwned)
            use?.setFirstSequence(of: owner, step.upperBound + 1)
            return count
        }
        // Tags that were in flight before may have become deletable.
        use?.setFirstSequence(of: owner, 0)
        return 0
    }

    /// Returns the sequences of an owner's oldest rows that one step may delete; nil if there are none.
    ///
    /// Rows that are not adjacent are on separate pages, and deleting them also changes the neighboring pages.
    private func step(
        of owner: TagOwner, in range: ClosedRange<Int64>
    ) throws(SQLiteFailure) -> ClosedRange<Int64>? {
        try selectionOfOwned.bind(range.lowerBound, at: 1)
        try selectionOfOwned.bind(range.upperBound, at: 2)
        try selectionOfOwned.bind(owner.upperHalf, at: 3)
        var step: ClosedRange<Int64>?
        var byteCount = 0
        while try selectionOfOwned.step() {
            let sequence = selectionOfOwned.integer(at: 0)
            if sequence - 1 != step?.upperBound { byteCount += 3 * StoreBudget.pageByteCount }
            byteCount += Int(clamping: selectionOfOwned.integer(at: 1)) + EncodedAppend.fieldByteCount
            if step != nil, byteCount > StoreBudget.deletionStepByteCount {
                selectionOfOwned.reset()
                break
            }
            step = (step?.lowerBound ?? sequence)...sequence
        }
        return step
    }

    // MARK: The end of the table

    /// Returns the highest sequence of an intact row and deletes the damaged rows above it.
    ///
    /// The sequence of a damaged row may itself be wrong, which would falsify the number of missing tags.
    func lastIntactSequence() throws(SQLiteFailure) -> Int64 {
        while true {
            let last = try lastSequence()
            var isDamaged = false
            try visitFirst(from: last) { _, _, isIntact in isDamaged = !isIntact }
            guard isDamaged else { return last }
            _ = try delete(last...last)
        }
    }

    // MARK: Quarantine

    /// Returns the sequences of one step of the quarantined rows after a sequence.
    func quarantined(after sequence: Int64) throws(SQLiteFailure) -> [Int64] {
        try selectionOfQuarantined.bind(sequence, at: 1)
        var found: [Int64] = []
        while try selectionOfQuarantined.step() { found.append(selectionOfQuarantined.integer(at: 0)) }
        return found
    }

    /// Admits an intact quarantined row to delivery; does nothing if there is no such row.
    func admit(_ sequence: Int64) throws(SQLiteFailure) {
        var found: StoredRow?
        try visitFirst(from: sequence) { fields, body, isIntact in
            if isIntact, fields.sequence == sequence { found = StoredRow(fields: fields, body: body.copy()) }
        }
        guard let found else { return }
        var fields = found.fields
        let (owner, byteCount) = (fields.owner, found.body.count + EncodedAppend.fieldByteCount)
        use?.change(by: -byteCount, of: owner, sequence: sequence)
        use?.change(by: byteCount, of: owner.admitted, sequence: sequence)
        fields.encoding = owner.admitted.column(encoding: fields.encoding)
        try update(fields, found.body.span)
    }
}
