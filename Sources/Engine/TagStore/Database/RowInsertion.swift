/// A prepared statement that inserts a fixed number of rows of one append.
///
/// SQLite has a fixed cost per statement for opening the table and starting its virtual machine, so one statement
/// inserts several rows.
///
/// Used only on the buffer's thread.
final class RowInsertion {
    /// The supported row counts, largest first.
    static let rowCounts = [16, 4, 1]

    private static let fieldCount: Int32 = 5

    let rowCount: Int
    private let statement: SQLiteStatement
    private var ids: [UInt8] = []

    init(rowCount: Int, on connection: borrowing SQLiteConnection) throws(SQLiteFailure) {
        self.rowCount = rowCount
        // The clock values and the epoch are the same for all rows of a statement and are bound once.
        let rows = (0..<rowCount).map { row in
            let first = 4 + row * Int(Self.fieldCount)
            return "(?\(first), ?\(first + 1), ?1, ?2, ?3, ?\(first + 2), ?\(first + 3), ?\(first + 4))"
        }
        // A failed transaction is always rolled back as a whole. With OR FAIL, SQLite does not keep a journal for
        // rolling back the statement alone.
        statement = try connection.prepare(
            """
            INSERT OR FAIL INTO tag(seq, id, received_wall, received_boot, epoch, crc, encoding, body) \
            VALUES \(rows.joined(separator: ", "))
            """)
        ids.reserveCapacity(rowCount * 16)
    }

    /// Inserts `rowCount` rows of an append, with sequences starting at `fields.sequence`.
    ///
    /// - Parameter fields: The fields of the first row; the clock values and the epoch apply to all rows.
    func insert(
        _ entries: ArraySlice<EncodedAppend.Entry>, of bytes: Span<UInt8>, _ fields: RowFields
    ) throws(SQLiteFailure) {
        precondition(entries.count == rowCount, "the statement is for a different number of rows")
        ids.removeAll(keepingCapacity: true)
        for entry in entries { entry.id.appendBytes(to: &ids) }
        try statement.bind(fields.receivedWall, at: 1)
        try statement.bind(fields.receivedBoot, at: 2)
        try statement.bind(fields.epoch, at: 3)
        let owned = ids
        let ids = owned.span
        // The statement has run and its bindings are cleared before either span ends.
        defer { statement.forgetBindings() }
        var fields = fields
        var index: Int32 = 4
        var row = 0
        for entry in entries {
            fields.id = entry.id
            fields.encoding = entry.encoding
            let body = bytes.extracting(entry.body)
            try statement.bind(fields.sequence, at: index)
            try unsafe statement.lend(ids.extracting(row * 16..<(row + 1) * 16), at: index + 1)
            try statement.bind(fields.checksum(body: body), at: index + 2)
            try statement.bind(entry.encoding, at: index + 3)
            try unsafe statement.lend(body, at: index + 4)
            fields.sequence += 1
            index += Self.fieldCount
            row += 1
        }
        try statement.finish()
    }
}
