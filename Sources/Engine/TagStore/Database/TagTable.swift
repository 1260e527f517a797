internal import ByteReading

/// The pending tags, in the order in which they were accepted.
final class TagTable {
    /// The columns of a row, in the order that `lendRow` expects.
    static let fields = "seq, id, received_wall, received_boot, epoch, crc, encoding, body"
    static let columnCount = 8

    private let insertions: [RowInsertion]
    private let selection: SQLiteStatement
    private let selectionOfOne: SQLiteStatement
    private let selectionOfTimes: SQLiteStatement
    private let selectionOfNewest: SQLiteStatement
    private let selectionOfSizes: SQLiteStatement
    let selectionOfOwned: SQLiteStatement
    let selectionForUse: SQLiteStatement
    private let deletion: SQLiteStatement
    private let deletionWithUse: SQLiteStatement
    let deletionOfOwned: SQLiteStatement
    private let change: SQLiteStatement
    let selectionOfQuarantined: SQLiteStatement
    private let counting: SQLiteStatement
    private let maximum: SQLiteStatement
    /// The byte counts per owner; nil until they are first needed, because they make every deletion slower.
    var use: OwnerUse?

    init(on connection: borrowing SQLiteConnection) throws(SQLiteFailure) {
        var insertions: [RowInsertion] = []
        for count in RowInsertion.rowCounts {
            insertions.append(try RowInsertion(rowCount: count, on: connection))
        }
        self.insertions = insertions
        selection = try connection.prepare(
            "SELECT \(Self.fields) FROM tag WHERE seq > ? ORDER BY seq LIMIT ?")
        selectionOfOne = try connection.prepare(
            "SELECT \(Self.fields) FROM tag WHERE seq >= ? ORDER BY seq LIMIT 1")
        selectionOfTimes = try connection.prepare(
            """
            SELECT seq, received_wall, received_boot FROM tag WHERE seq BETWEEN ? AND ? ORDER BY seq LIMIT \
            \(StoreBudget.deletionStep)
            """)
        selectionOfNewest = try connection.prepare(
            "SELECT received_wall FROM tag ORDER BY seq DESC LIMIT 1")
        selectionOfSizes = try connection.prepare(
            """
            SELECT seq, length(body) FROM tag WHERE seq BETWEEN ? AND ? ORDER BY seq LIMIT \
            \(StoreBudget.deletionStep)
            """)
        selectionOfOwned = try connection.prepare(
            """
            SELECT seq, length(body) FROM tag WHERE seq BETWEEN ? AND ? AND encoding >> 32 = ? ORDER BY seq LIMIT \
            \(StoreBudget.deletionStep)
            """)
        selectionForUse = try connection.prepare(
            "SELECT seq, encoding, length(body) FROM tag WHERE seq > ? ORDER BY seq LIMIT ?")
        deletion = try connection.prepare("DELETE FROM tag WHERE seq BETWEEN ? AND ?")
        deletionWithUse = try connection.prepare(
            "DELETE FROM tag WHERE seq BETWEEN ? AND ? RETURNING seq, encoding, length(body)")
        deletionOfOwned = try connection.prepare(
            """
            DELETE FROM tag WHERE seq BETWEEN ? AND ? AND encoding >> 32 = ? RETURNING seq, encoding, length(body)
            """)
        change = try connection.prepare("UPDATE tag SET crc = ?, encoding = ?, body = ? WHERE seq = ?")
        selectionOfQuarantined = try connection.prepare(
            "SELECT seq FROM tag WHERE seq > ? AND encoding < 0 ORDER BY seq LIMIT \(StoreBudget.deletionStep)"
        )
        counting = try connection.prepare("SELECT count(*) FROM tag")
        maximum = try connection.prepare("SELECT ifnull(max(seq), 0) FROM tag")
    }

    // MARK: Insertion

    /// Inserts a row.
    func append(_ row: StoredRow) throws(SQLiteFailure) {
        let entry = EncodedAppend.Entry(
            id: row.fields.id, encoding: row.fields.encoding, body: 0..<row.body.count)
        try append([entry], of: row.body.span, row.fields)
    }

    /// Inserts rows of one append, with sequences starting at `fields.sequence`.
    ///
    /// The clock values and the epoch of `fields` apply to all rows.
    func append(
        _ entries: [EncodedAppend.Entry], of bytes: Span<UInt8>, _ fields: RowFields
    ) throws(SQLiteFailure) {
        if use != nil {
            for (index, entry) in entries.enumerated() {
                use?.change(
                    by: entry.byteCount, of: entry.owner, sequence: fields.sequence + Int64(index))
            }
        }
        var fields = fields
        var rest = entries[...]
        for insertion in insertions {
            while rest.count >= insertion.rowCount {
                try insertion.insert(rest.prefix(insertion.rowCount), of: bytes, fields)
                fields.sequence += Int64(insertion.rowCount)
                rest = rest.dropFirst(insertion.rowCount)
            }
        }
    }

    /// Inserts the rows of an append except the first ones of some owners, and returns the number of those.
    ///
    /// - Parameter rows: The rows of the append and of the following ones.
    func append(
        _ append: EncodedAppend, _ fields: RowFields, skipping rows: inout IncomingRows
    ) throws(SQLiteFailure) -> Int64 {
        var count: Int64 = 0
        var row = fields
        for (index, entry) in append.entries.enumerated() {
            if rows.skips(entry.owner) {
                count += 1
            } else {
                row.sequence = fields.sequence + Int64(index)
                try self.append([entry], of: append.bytes.span, row)
            }
        }
        return count
    }

    /// Replaces the body of an intact row; does nothing if there is no such row.
    func replaceBody(
        of sequence: Int64, with body: Span<UInt8>, encoding: Int64
    ) throws(SQLiteFailure) {
        var found: RowFields?
        var byteCount = 0
        try visitFirst(from: sequence) { fields, body, isIntact in
            if isIntact, fields.sequence == sequence { found = fields }
            byteCount = body.count
        }
        guard var fields = found else { return }
        use?.change(by: body.count - byteCount, of: fields.owner, sequence: sequence)
        fields.encoding = fields.owner.column(encoding: encoding)
        try update(fields, body)
    }

    /// Writes the body of a row, its encoding and its checksum.
    func update(_ fields: RowFields, _ body: Span<UInt8>) throws(SQLiteFailure) {
        // The statement has run and its bindings are cleared before the span ends.
        defer { change.forgetBindings() }
        try change.bind(fields.checksum(body: body), at: 1)
        try change.bind(fields.encoding, at: 2)
        try unsafe change.lend(body, at: 3)
        try change.bind(fields.sequence, at: 4)
        try change.finish()
    }

    // MARK: Queries

    func count() throws(SQLiteFailure) -> Int64 { try counting.number() }

    /// Returns the highest sequence of any row, or 0 if the table is empty.
    func lastSequence() throws(SQLiteFailure) -> Int64 { try maximum.number() }

    /// Returns the wall-clock time when the newest row was received; nil if the table is empty.
    func newestReceived() throws(SQLiteFailure) -> Int64? {
        guard try selectionOfNewest.step() else { return nil }
        let received = selectionOfNewest.integer(at: 0)
        selectionOfNewest.reset()
        return received
    }

    /// Returns the fields of the oldest row; nil if the table is empty.
    func oldest() throws(SQLiteFailure) -> RowFields? {
        var oldest: RowFields?
        try visitFirst(from: 0) { fields, _, _ in oldest = fields }
        return oldest
    }

    /// Visits the rows after a sequence, oldest first, until the closure returns false.
    ///
    /// - Parameter visit: Receives the fields, the stored body, and whether the checksum is valid.
    func visit(
        after sequence: Int64, maximumCount: Int,
        _ visit: (RowFields, Span<UInt8>, _ isIntact: Bool) -> Bool
    ) throws(SQLiteFailure) {
        try selection.bind(sequence, at: 1)
        try selection.bind(Int64(maximumCount), at: 2)
        while try selection.step() {
            guard Self.lendRow(of: selection, visit) else {
                selection.reset()
                return
            }
        }
    }

    /// Visits the first row at or after a sequence, if there is one.
    func visitFirst(
        from sequence: Int64, _ visit: (RowFields, Span<UInt8>, _ isIntact: Bool) -> Void
    ) throws(SQLiteFailure) {
        try selectionOfOne.bind(sequence, at: 1)
        guard try selectionOfOne.step() else { return }
        _ = Self.lendRow(of: selectionOfOne) {
            visit($0, $1, $2)
            return true
        }
        selectionOfOne.reset()
    }

    /// Calls a closure with the current row of a statement whose columns start with `fields`.
    static func lendRow(
        of statement: borrowing SQLiteStatement, _ visit: (RowFields, Span<UInt8>, _ isIntact: Bool) -> Bool
    ) -> Bool {
        let id = statement.withBytes(at: 1) { TagID(bytes: $0) }
        let fields = RowFields(
            sequence: statement.integer(at: 0), id: id ?? TagID(high: 0, low: 0),
            receivedWall: statement.integer(at: 2), receivedBoot: statement.integer(at: 3),
            epoch: statement.integer(at: 4), encoding: statement.integer(at: 6))
        let stored = statement.integer(at: 5)
        let isPossible = id != nil && (0...StoreTotals.maximumCount).contains(fields.sequence)
        return statement.withBytes(at: 7) { body in
            visit(fields, body, isPossible && stored == fields.checksum(body: body))
        }
    }

    /// Returns when the oldest rows in a range were received, by both clocks: at most `StoreBudget.deletionStep`.
    func oldestArrivals(
        in range: ClosedRange<Int64>
    ) throws(SQLiteFailure) -> [(sequence: Int64, wall: Int64, boot: Int64)] {
        try selectionOfTimes.bind(range.lowerBound, at: 1)
        try selectionOfTimes.bind(range.upperBound, at: 2)
        var rows: [(sequence: Int64, wall: Int64, boot: Int64)] = []
        while try selectionOfTimes.step() {
            rows.append(
                (
                    selectionOfTimes.integer(at: 0), selectionOfTimes.integer(at: 1),
                    selectionOfTimes.integer(at: 2)
                ))
        }
        return rows
    }

    // MARK: Deletion

    /// Deletes the rows in a range of sequences and returns their number.
    func delete(_ range: ClosedRange<Int64>) throws(SQLiteFailure) -> Int64 {
        if use != nil { return try delete(range, by: deletionWithUse) }
        try deletion.bind(range.lowerBound, at: 1)
        try deletion.bind(range.upperBound, at: 2)
        return try deletion.finishChanging()
    }

    /// Deletes one step of the oldest rows in a range and returns their number.
    ///
    /// Deleted content is overwritten page by page, so a step has fewer rows if they are large.
    func deleteOldest(in range: ClosedRange<Int64>) throws(SQLiteFailure) -> Int64 {
        try selectionOfSizes.bind(range.lowerBound, at: 1)
        try selectionOfSizes.bind(range.upperBound, at: 2)
        var last: Int64?
        var byteCount = 0
        while try selectionOfSizes.step() {
            byteCount += Int(clamping: selectionOfSizes.integer(at: 1)) + EncodedAppend.fieldByteCount
            if last != nil, byteCount > StoreBudget.deletionStepByteCount {
                selectionOfSizes.reset()
                break
            }
            last = selectionOfSizes.integer(at: 0)
        }
        guard let last, last >= range.lowerBound else { return 0 }
        return try delete(range.lowerBound...last)
    }

    /// Deletes rows with a statement that returns them, and updates the byte counts per owner.
    func delete(
        _ range: ClosedRange<Int64>, by statement: borrowing SQLiteStatement
    ) throws(SQLiteFailure) -> Int64 {
        try statement.bind(range.lowerBound, at: 1)
        try statement.bind(range.upperBound, at: 2)
        var count: Int64 = 0
        while try statement.step() {
            count += 1
            use?.change(
                by: -Int(clamping: statement.integer(at: 2)) - EncodedAppend.fieldByteCount,
                of: TagOwner(ofColumn: statement.integer(at: 1)), sequence: statement.integer(at: 0))
        }
        return count
    }
}
