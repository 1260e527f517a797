internal import TimedMedia

/// The tables of a store, and every statement that is run on them more than once.
///
/// Used by one thread at a time: the store's owner. A failed transaction is rolled back before its error is thrown.
final class TagDatabase {
    static let schemaVersion: Int64 = 1

    private static let schema = [
        """
        CREATE TABLE IF NOT EXISTS tag(
            seq INTEGER PRIMARY KEY, id BLOB NOT NULL, received_wall INTEGER NOT NULL,
            received_boot INTEGER NOT NULL, epoch INTEGER NOT NULL, crc INTEGER NOT NULL,
            encoding INTEGER NOT NULL, body BLOB NOT NULL)
        """,
        """
        CREATE TABLE IF NOT EXISTS dead(
            seq INTEGER PRIMARY KEY, id BLOB NOT NULL, received_wall INTEGER NOT NULL,
            received_boot INTEGER NOT NULL, epoch INTEGER NOT NULL, crc INTEGER NOT NULL,
            encoding INTEGER NOT NULL, body BLOB NOT NULL, code TEXT NOT NULL, refused_wall INTEGER NOT NULL)
        """,
        "CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value BLOB NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID",
    ]

    private static let fields = "seq, id, received_wall, received_boot, epoch, crc, encoding, body"

    let connection: SQLiteConnection
    private let begin: SQLiteStatement
    private let commit: SQLiteStatement
    private let rollback: SQLiteStatement
    private let pageCount: SQLiteStatement
    private let freePageCount: SQLiteStatement
    private let insertions: [RowInsertion]
    private let select: SQLiteStatement
    private let selectOne: SQLiteStatement
    private let ages: SQLiteStatement
    private let boundary: SQLiteStatement
    private let deleteRange: SQLiteStatement
    private let bury: SQLiteStatement
    private let selectDead: SQLiteStatement
    private let readMeta: SQLiteStatement
    private let writeMetaRow: SQLiteStatement
    /// The pages that may be in use by now, counting from when they were counted last; nil where nobody knows.
    private(set) var usedPageBound: Int?

    /// Opens the database, and makes its tables where it has none.
    init(path: String, budget: StoreBudget, synchronous: StoreSettings.Synchronous) throws(SQLiteFailure) {
        connection = try SQLiteConnection(path: path)
        // Exclusive locking comes first: the pragma after it may read the file already, and a log that is opened
        // without it needs a shared memory file. Page size and vacuum must be set before the first table.
        for pragma in [
            "locking_mode=EXCLUSIVE", "page_size=4096", "auto_vacuum=INCREMENTAL", "journal_mode=WAL",
            "synchronous=\(synchronous.rawValue)", "wal_autocheckpoint=\(budget.checkpointPageCount)",
            "journal_size_limit=\(budget.checkpointPageCount * StoreBudget.pageByteCount)",
            "trusted_schema=OFF", "cell_size_check=ON", "max_page_count=\(budget.fencePageCount)",
        ] {
            try connection.run("PRAGMA \(pragma)")
        }
        for text in Self.schema { try connection.run(text) }
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        rollback = try connection.prepare("ROLLBACK")
        pageCount = try connection.prepare("PRAGMA page_count")
        freePageCount = try connection.prepare("PRAGMA freelist_count")
        var insertions: [RowInsertion] = []
        for count in RowInsertion.rowCounts {
            insertions.append(try RowInsertion(rowCount: count, on: connection))
        }
        self.insertions = insertions
        select = try connection.prepare(
            "SELECT \(Self.fields) FROM tag WHERE seq > ? ORDER BY seq LIMIT ?")
        selectOne = try connection.prepare(
            "SELECT \(Self.fields) FROM tag WHERE seq >= ? ORDER BY seq LIMIT 1")
        ages = try connection.prepare(
            """
            SELECT seq, received_wall, received_boot FROM tag WHERE seq BETWEEN ? AND ? ORDER BY seq LIMIT \
            \(StoreBudget.deletionStep)
            """)
        boundary = try connection.prepare(
            "SELECT max(seq) FROM (SELECT seq FROM tag WHERE seq BETWEEN ? AND ? ORDER BY seq LIMIT ?)")
        deleteRange = try connection.prepare("DELETE FROM tag WHERE seq BETWEEN ? AND ?")
        bury = try connection.prepare(
            "INSERT OR REPLACE INTO dead SELECT \(Self.fields), ?2, ?3 FROM tag WHERE seq = ?1")
        selectDead = try connection.prepare("SELECT * FROM dead WHERE seq > ? ORDER BY seq LIMIT ?")
        readMeta = try connection.prepare("SELECT value, crc FROM meta WHERE key = ?")
        writeMetaRow = try connection.prepare("INSERT OR REPLACE INTO meta(key, value, crc) VALUES(?,?,?)")
    }

    // MARK: Transactions

    func transaction<Result>(_ body: () throws(SQLiteFailure) -> Result) throws(SQLiteFailure) -> Result {
        try begin.finish()
        do throws(SQLiteFailure) {
            let result = try body()
            try commit.finish()
            return result
        } catch {
            // Some failures have already ended the transaction.
            if !connection.isAutocommit {
                do throws(SQLiteFailure) {
                    try rollback.finish()
                } catch {
                    // The failure that led here is the one to report; the next BEGIN fails if this one lasts.
                }
            }
            throw error
        }
    }

    /// The pages that hold something.
    func usedPageCount() throws(SQLiteFailure) -> Int {
        Int(try value(of: pageCount) - value(of: freePageCount))
    }

    /// Whether rows that fill so many pages at a safe guess, and are appended next, leave no more than `usable` in
    /// use.
    ///
    /// SQLite prepares a query for its page counts anew each time, which for both takes a seventh of the
    /// instructions of a lone append. So while there is plenty of room it is reckoned with twice the guess: rows
    /// of half a page fill twice the pages that their bytes would.
    func hasRoom(forPages needed: Int, within usable: Int) throws(SQLiteFailure) -> Bool {
        if let bound = usedPageBound, bound + needed <= usable {
            usedPageBound = bound + 2 * needed
            return true
        }
        let used = try usedPageCount()
        usedPageBound = used + 2 * needed
        return used + needed <= usable
    }

    func allPageCount() throws(SQLiteFailure) -> Int { Int(try value(of: pageCount)) }

    func unusedPageCount() throws(SQLiteFailure) -> Int { Int(try value(of: freePageCount)) }

    private func value(of statement: borrowing SQLiteStatement) throws(SQLiteFailure) -> Int64 {
        guard try statement.step() else { return 0 }
        let value = statement.integer(at: 0)
        statement.reset()
        return value
    }

    /// The one number that a query answers with.
    func number(_ query: String) throws(SQLiteFailure) -> Int64 {
        try value(of: connection.prepare(query))
    }

    // MARK: Rows

    /// When the newest row was received; nil where there is none.
    func newestReceived() throws(SQLiteFailure) -> Int64? {
        let statement = try connection.prepare("SELECT received_wall FROM tag ORDER BY seq DESC LIMIT 1")
        guard try statement.step() else { return nil }
        return statement.integer(at: 0)
    }

    /// Inserts a row.
    func append(_ fields: RowFields, body: Span<UInt8>) throws(SQLiteFailure) {
        let entry = EncodedAppend.Entry(
            id: fields.id, encoding: fields.encoding, body: 0..<body.count)
        try append([entry], of: body, fields)
    }

    /// Inserts rows of one arrival, with sequences from `fields.sequence` on; clocks and epoch hold for all.
    func append(
        _ entries: [EncodedAppend.Entry], of bytes: Span<UInt8>, _ fields: RowFields
    ) throws(SQLiteFailure) {
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

    /// Lends the rows after a sequence, oldest first, until the closure has enough.
    ///
    /// - Parameter visit: Gets the fields, the stored body and whether the checksum is right; false ends it.
    func visitRows(
        after sequence: Int64, maximumCount: Int,
        _ visit: (RowFields, Span<UInt8>, Bool) -> Bool
    ) throws(SQLiteFailure) {
        try select.bind(sequence, at: 1)
        try select.bind(Int64(maximumCount), at: 2)
        while try select.step() {
            guard Self.lendRow(of: select, visit) else {
                select.reset()
                return
            }
        }
    }

    /// Lends the first row at or after a sequence; false where there is none.
    func visitRow(
        atOrAfter sequence: Int64, _ visit: (RowFields, Span<UInt8>, Bool) -> Bool
    ) throws(SQLiteFailure) -> Bool {
        try selectOne.bind(sequence, at: 1)
        guard try selectOne.step() else { return false }
        _ = Self.lendRow(of: selectOne, visit)
        selectOne.reset()
        return true
    }

    private static func lendRow(
        of statement: borrowing SQLiteStatement, _ visit: (RowFields, Span<UInt8>, Bool) -> Bool
    ) -> Bool {
        let id = statement.withBytes(at: 1) { TagID(bytes: $0) }
        let fields = RowFields(
            sequence: statement.integer(at: 0), id: id ?? TagID(high: 0, low: 0),
            receivedWall: statement.integer(at: 2), receivedBoot: statement.integer(at: 3),
            epoch: statement.integer(at: 4), encoding: statement.integer(at: 6))
        let stored = statement.integer(at: 5)
        return statement.withBytes(at: 7) { body in
            visit(fields, body, id != nil && stored == fields.checksum(body: body))
        }
    }

    /// A copy of the statement's row; nil where its checksum is wrong.
    static func wholeRow(of statement: borrowing SQLiteStatement) -> MemoryRing.Item? {
        var row: MemoryRing.Item?
        _ = lendRow(of: statement) { fields, body, isWhole in
            if isWhole { row = MemoryRing.Item(fields: fields, body: body.copy()) }
            return true
        }
        return row
    }

    /// The sequence and both times of the oldest rows of a range, at most a step of them.
    func oldestTimes(
        in range: ClosedRange<Int64>
    ) throws(SQLiteFailure) -> [(sequence: Int64, wall: Int64, boot: Int64)] {
        try ages.bind(range.lowerBound, at: 1)
        try ages.bind(range.upperBound, at: 2)
        var rows: [(sequence: Int64, wall: Int64, boot: Int64)] = []
        while try ages.step() {
            rows.append((ages.integer(at: 0), ages.integer(at: 1), ages.integer(at: 2)))
        }
        return rows
    }

    /// Deletes the rows of a range of sequences, and says how many there were.
    func delete(_ range: ClosedRange<Int64>) throws(SQLiteFailure) -> Int64 {
        try deleteRange.bind(range.lowerBound, at: 1)
        try deleteRange.bind(range.upperBound, at: 2)
        try deleteRange.finish()
        return connection.changeCount
    }

    /// Deletes the oldest rows of a range, and says how many there were.
    func deleteOldest(_ count: Int, in range: ClosedRange<Int64>) throws(SQLiteFailure) -> Int64 {
        try boundary.bind(range.lowerBound, at: 1)
        try boundary.bind(range.upperBound, at: 2)
        try boundary.bind(Int64(count), at: 3)
        guard try boundary.step() else { return 0 }
        let isEmpty = boundary.isNull(at: 0)
        let last = boundary.integer(at: 0)
        boundary.reset()
        return isEmpty || last < range.lowerBound ? 0 : try delete(range.lowerBound...last)
    }

    // MARK: The dead

    /// Moves a row among the dead; false where there is no such row.
    func bury(_ sequence: Int64, code: String, at wall: Int64) throws(SQLiteFailure) -> Bool {
        usedPageBound = nil
        try bury.bind(sequence, at: 1)
        try bury.bind(code, at: 2)
        try bury.bind(wall, at: 3)
        try bury.finish()
        return try delete(sequence...sequence) == 1
    }

    /// What the dead take, counted as the bound counts it.
    func deadByteCount() throws(SQLiteFailure) -> Int {
        Int(try number("SELECT ifnull(sum(length(body) + length(code) + 64), 0) FROM dead"))
    }

    func deleteOldestDead(_ count: Int) throws(SQLiteFailure) {
        try connection.run("DELETE FROM dead WHERE seq IN (SELECT seq FROM dead ORDER BY seq LIMIT \(count))")
    }

    func visitDead(
        after sequence: Int64, maximumCount: Int,
        _ visit: (RowFields, Span<UInt8>, Bool, _ code: String, _ refused: Int64) -> Void
    ) throws(SQLiteFailure) {
        try selectDead.bind(sequence, at: 1)
        try selectDead.bind(Int64(maximumCount), at: 2)
        while try selectDead.step() {
            let code = selectDead.text(at: 8)
            let refused = selectDead.integer(at: 9)
            _ = Self.lendRow(of: selectDead) { fields, body, isWhole in
                visit(fields, body, isWhole, code, refused)
                return true
            }
        }
    }

    // MARK: Meta

    /// A value of the table `meta`; nil where there is none, or its checksum is wrong.
    func meta(_ key: String) throws(SQLiteFailure) -> [UInt8]? {
        try readMeta.bind(key, at: 1)
        guard try readMeta.step() else { return nil }
        let value = readMeta.blob(at: 0)
        let stored = readMeta.integer(at: 1)
        readMeta.reset()
        return stored == Self.metaChecksum(key: key, value: value) ? value : nil
    }

    func setMeta(_ key: String, _ value: [UInt8]) throws(SQLiteFailure) {
        usedPageBound = nil
        try writeMetaRow.bind(key, at: 1)
        try writeMetaRow.bind(value.span, at: 2)
        try writeMetaRow.bind(Self.metaChecksum(key: key, value: value), at: 3)
        try writeMetaRow.finish()
    }

    func metaNumber(_ key: String) throws(SQLiteFailure) -> Int64? {
        try meta(key).flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
    }

    func setMetaNumber(_ key: String, _ value: Int64) throws(SQLiteFailure) {
        try setMeta(key, Array(String(value).utf8))
    }

    static func metaChecksum(key: String, value: [UInt8]) -> Int64 {
        Int64(CRC32.of(value.span, continuing: CRC32.of(Array(key.utf8).span)))
    }

    // MARK: Files

    /// Moves the log into the database, and empties it.
    func checkpoint() throws(SQLiteFailure) {
        try connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// The first complaints of SQLite's own check; none where the structure is whole.
    func structureProblems() throws(SQLiteFailure) -> [String] {
        let rows = try connection.run("PRAGMA quick_check(20)")
        return rows == ["ok"] ? [] : rows
    }

    /// Gives pages at the end of the file back to the disk.
    func vacuum(pageCount: Int) throws(SQLiteFailure) {
        try connection.run("PRAGMA incremental_vacuum(\(pageCount))")
    }
}
