/// The tables of a buffer and their transactions.
///
/// Used only on the buffer's thread. A failed transaction is rolled back before its error is thrown.
final class TagDatabase {
    /// Since version 2, the column `encoding` also contains the owner.
    static let schemaVersion: Int64 = 2

    private static let rowColumns = """
        seq INTEGER PRIMARY KEY, id BLOB NOT NULL, received_wall INTEGER NOT NULL,
        received_boot INTEGER NOT NULL, epoch INTEGER NOT NULL, crc INTEGER NOT NULL,
        encoding INTEGER NOT NULL, body BLOB NOT NULL
        """
    /// The statements that create the tables of every store.
    ///
    /// A database with any other schema is damaged or not a store.
    static let statements = [
        "CREATE TABLE tag(\(rowColumns))",
        "CREATE TABLE dead(\(rowColumns), code TEXT NOT NULL, refused_wall INTEGER NOT NULL)",
        "CREATE TABLE meta(key TEXT PRIMARY KEY, value BLOB NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID",
    ]

    let tags: TagTable
    let deadLetters: DeadLetterTable
    let meta: MetaTable
    let bookmarks: BookmarkTable
    let pages: PageCounter
    private let connection: SQLiteConnection
    private let begin: SQLiteStatement
    private let commit: SQLiteStatement
    private let rollback: SQLiteStatement

    /// Opens the database and creates its tables if it has none and `mayBeNew` is true.
    init(
        path: String, budget: StoreBudget, synchronous: StoreSettings.Synchronous, mayBeNew: Bool = true
    ) throws(SQLiteFailure) {
        connection = try SQLiteConnection(path: path)
        // Exclusive locking must be set first: the next pragma may already read the file, and a log opened without it
        // needs a shared memory file. Page size and vacuum mode must be set before the first table is created.
        for pragma in [
            "locking_mode=EXCLUSIVE", "page_size=4096", "auto_vacuum=INCREMENTAL", "journal_mode=WAL",
            "synchronous=\(synchronous.rawValue)", "wal_autocheckpoint=\(budget.checkpointPageCount)",
            // Never truncate the log: a full disk could not supply its space again.
            "journal_size_limit=-1",
            // Overwrite deleted content, so that free pages contain no rows that a salvage could mistake for tags.
            "secure_delete=ON", "trusted_schema=OFF", "cell_size_check=ON",
            "max_page_count=\(budget.fencePageCount)",
        ] {
            try connection.run("PRAGMA \(pragma)")
        }
        let found = try connection.run("SELECT sql FROM sqlite_schema ORDER BY rowid")
        if found.isEmpty, mayBeNew {
            // All or none: a store with only some of its tables is damaged.
            try connection.run("BEGIN IMMEDIATE")
            for statement in Self.statements { try connection.run(statement) }
            try connection.run("COMMIT")
        } else if found != Self.statements {
            throw SQLiteFailure(damage: "the tables do not match the schema of a store")
        }
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        rollback = try connection.prepare("ROLLBACK")
        pages = try PageCounter(on: connection)
        tags = try TagTable(on: connection)
        deadLetters = try DeadLetterTable(on: connection, pages: pages)
        meta = try MetaTable(on: connection, pages: pages)
        bookmarks = try BookmarkTable(on: connection, meta: meta)
    }

    func transaction<Result>(_ body: () throws(SQLiteFailure) -> Result) throws(SQLiteFailure) -> Result {
        try begin.finish()
        do throws(SQLiteFailure) {
            let result = try body()
            try commit.finish()
            return result
        } catch {
            // Some failures end the transaction themselves.
            if !connection.isAutocommit {
                do throws(SQLiteFailure) {
                    try rollback.finish()
                } catch {
                    // Report the original failure. If this one persists, the next BEGIN fails.
                }
            }
            // The byte counts per owner include changes that were rolled back.
            tags.forgetUse()
            throw error
        }
    }

    /// Writes a bookmark, which counts as its channel's use of the buffer.
    func set(_ bookmark: Bookmark, at wall: Int64) throws(SQLiteFailure) {
        let growth = try bookmarks.set(bookmark, at: wall)
        tags.countUse(of: TagOwner(channel: bookmark.channel), growth)
    }

    /// Deletes the bookmarks of channels.
    func delete(_ listed: some Sequence<BookmarkTable.Listed>) throws(SQLiteFailure) {
        for channel in listed {
            try bookmarks.delete(channel)
            tags.countUse(of: channel.owner, -channel.byteCount)
        }
    }

    /// Counts the bytes per owner for up to `maximumRowCount` further tags, and of all bookmarks.
    func countUse(maximumRowCount: Int) throws(SQLiteFailure) {
        let isFirst = tags.use == nil
        try tags.countUse(maximumRowCount: maximumRowCount)
        guard isFirst else { return }
        for channel in try bookmarks.list() { tags.countUse(of: channel.owner, channel.byteCount) }
    }

    /// Checkpoints the log and truncates it.
    func checkpoint() throws(SQLiteFailure) {
        try connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Checkpoints the log but keeps its size.
    ///
    /// The next commits overwrite it and need no additional disk space.
    func checkpointInPlace() throws(SQLiteFailure) {
        try connection.run("PRAGMA wal_checkpoint(PASSIVE)")
    }

    /// Checkpoints the log and returns whether all of its frames are in the database, which no longer needs it.
    func finishLog() -> Bool {
        do throws(SQLiteFailure) {
            let checkpoint = try connection.prepare("PRAGMA wal_checkpoint(PASSIVE)")
            guard try checkpoint.step() else { return false }
            defer { checkpoint.reset() }
            return checkpoint.integer(at: 1) == checkpoint.integer(at: 2)
        } catch {
            return false
        }
    }

    /// Returns the first problems that SQLite's own check finds; empty if the structure is intact.
    func structureProblems() throws(SQLiteFailure) -> [String] {
        let rows = try connection.run("PRAGMA quick_check(20)")
        return rows == ["ok"] ? [] : rows
    }

    /// Returns free pages to the disk.
    func vacuum(pageCount: Int) throws(SQLiteFailure) {
        try connection.run("PRAGMA incremental_vacuum(\(pageCount))")
    }
}

/// The tags that a collector permanently refused, each with its reason.
final class DeadLetterTable {
    /// The columns of a tag, the code and the time of the refusal.
    static let columnCount = TagTable.columnCount + 2

    private let insertion: SQLiteStatement
    private let restoration: SQLiteStatement
    private let selection: SQLiteStatement
    private let counting: SQLiteStatement
    private let measuring: SQLiteStatement
    private let trimming: SQLiteStatement
    private let returning: SQLiteStatement
    private let pruning: SQLiteStatement
    private let pages: PageCounter

    init(on connection: borrowing SQLiteConnection, pages: PageCounter) throws(SQLiteFailure) {
        insertion = try connection.prepare(
            "INSERT OR REPLACE INTO dead SELECT \(TagTable.fields), ?2, ?3 FROM tag WHERE seq = ?1")
        restoration = try connection.prepare("INSERT OR REPLACE INTO dead VALUES(?,?,?,?,?,?,?,?,?,?)")
        selection = try connection.prepare("SELECT * FROM dead WHERE seq > ? ORDER BY seq LIMIT ?")
        counting = try connection.prepare("SELECT count(*) FROM dead")
        measuring = try connection.prepare(
            "SELECT ifnull(sum(length(body) + length(code) + 64), 0) FROM dead")
        trimming = try connection.prepare(
            "DELETE FROM dead WHERE seq IN (SELECT seq FROM dead ORDER BY seq LIMIT ?)")
        returning = try connection.prepare(
            "INSERT OR IGNORE INTO tag SELECT \(TagTable.fields) FROM dead ORDER BY seq LIMIT ?")
        pruning = try connection.prepare("DELETE FROM dead WHERE refused_wall <= ?")
        self.pages = pages
    }

    /// Copies a pending tag into this table; returns false if it does not exist.
    func copy(_ sequence: Int64, code: String, at wall: Int64) throws(SQLiteFailure) -> Bool {
        pages.forget()
        try insertion.bind(sequence, at: 1)
        try insertion.bind(code, at: 2)
        try insertion.bind(wall, at: 3)
        return try insertion.finishChanging() == 1
    }

    /// Moves the oldest dead letters back to the pending tags, under their original sequences, and returns their
    /// number.
    func putBack(_ count: Int) throws(SQLiteFailure) -> Int64 {
        pages.forget()
        try returning.bind(Int64(count), at: 1)
        let returned = try returning.finishChanging()
        try deleteOldest(count)
        return returned
    }

    /// Deletes the dead letters refused at or before a time and returns their number.
    func prune(refusedUntil wall: Int64) throws(SQLiteFailure) -> Int64 {
        try pruning.bind(wall, at: 1)
        return try pruning.finishChanging()
    }

    /// Inserts a dead letter that was salvaged from a damaged database.
    func restore(_ row: StoredRow, code: String, refused: Int64) throws(SQLiteFailure) {
        pages.forget()
        let fields = row.fields
        try restoration.bind(fields.sequence, at: 1)
        try restoration.bind(fields.id.bytes.span, at: 2)
        try restoration.bind(fields.receivedWall, at: 3)
        try restoration.bind(fields.receivedBoot, at: 4)
        try restoration.bind(fields.epoch, at: 5)
        try restoration.bind(fields.checksum(body: row.body.span), at: 6)
        try restoration.bind(fields.encoding, at: 7)
        try restoration.bind(row.body.span, at: 8)
        try restoration.bind(code, at: 9)
        try restoration.bind(refused, at: 10)
        try restoration.finish()
    }

    func count() throws(SQLiteFailure) -> Int64 { try counting.number() }

    /// Returns the size of all dead letters, as counted against their limit.
    func byteCount() throws(SQLiteFailure) -> Int { Int(try measuring.number()) }

    func deleteOldest(_ count: Int) throws(SQLiteFailure) {
        try trimming.bind(Int64(count), at: 1)
        try trimming.finish()
    }

    /// Visits the dead letters after a sequence, oldest first.
    func visit(
        after sequence: Int64, maximumCount: Int,
        _ visit: (RowFields, Span<UInt8>, _ isIntact: Bool, _ code: String, _ refused: Int64) -> Void
    ) throws(SQLiteFailure) {
        try selection.bind(sequence, at: 1)
        try selection.bind(Int64(maximumCount), at: 2)
        while try selection.step() {
            let code = selection.text(at: 8)
            let refused = selection.integer(at: 9)
            _ = TagTable.lendRow(of: selection) { fields, body, isIntact in
                visit(fields, body, isIntact, code, refused)
                return true
            }
        }
    }
}
