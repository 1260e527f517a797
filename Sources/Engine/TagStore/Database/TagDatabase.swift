/// The tables of a buffer, and the transactions on them.
///
/// Used by one thread at a time: the buffer's. A failed transaction is rolled back before its error is thrown.
final class TagDatabase {
    /// Since 2 the column `encoding` says whose a tag is.
    static let schemaVersion: Int64 = 2

    private static let rowColumns = """
        seq INTEGER PRIMARY KEY, id BLOB NOT NULL, received_wall INTEGER NOT NULL,
        received_boot INTEGER NOT NULL, epoch INTEGER NOT NULL, crc INTEGER NOT NULL,
        encoding INTEGER NOT NULL, body BLOB NOT NULL
        """
    /// What makes the tables, as every database of a store has it: anything else is damage, or not a store.
    static let statements = [
        "CREATE TABLE tag(\(rowColumns))",
        "CREATE TABLE dead(\(rowColumns), code TEXT NOT NULL, refused_wall INTEGER NOT NULL)",
        "CREATE TABLE meta(key TEXT PRIMARY KEY, value BLOB NOT NULL, crc INTEGER NOT NULL) WITHOUT ROWID",
    ]

    let tags: TagTable
    let deadLetters: DeadLetterTable
    let meta: MetaTable
    let pages: PageCounter
    private let connection: SQLiteConnection
    private let begin: SQLiteStatement
    private let commit: SQLiteStatement
    private let rollback: SQLiteStatement

    /// Whether those are the statements that made the tables of a store; blanks and line ends are those of its release.
    static func isSchema(_ found: [String]) -> Bool {
        found.map(condensed) == statements.map(condensed)
    }

    /// Whether that made one of a store's tables.
    static func isStatement(_ text: String) -> Bool { statements.map(condensed).contains(condensed(text)) }

    private static func condensed(_ text: String) -> String { text.filter { !$0.isWhitespace } }

    /// Opens the database, and makes its tables where it has none and may be new.
    init(
        path: String, budget: StoreBudget, synchronous: StoreSettings.Synchronous, mayBeNew: Bool = true
    ) throws(SQLiteFailure) {
        connection = try SQLiteConnection(path: path)
        // Exclusive locking comes first: the pragma after it may read the file already, and a log that is opened
        // without it needs a shared memory file. Page size and vacuum must be set before the first table.
        for pragma in [
            "locking_mode=EXCLUSIVE", "page_size=4096", "auto_vacuum=INCREMENTAL", "journal_mode=WAL",
            "synchronous=\(synchronous.rawValue)", "wal_autocheckpoint=\(budget.checkpointPageCount)",
            // The log keeps its bytes: on a full disk it would not get them again.
            "journal_size_limit=-1",
            // What is deleted is overwritten: pages that are free have no rows that a salvage could mistake for tags.
            "secure_delete=ON", "trusted_schema=OFF", "cell_size_check=ON",
            "max_page_count=\(budget.fencePageCount)",
        ] {
            try connection.run("PRAGMA \(pragma)")
        }
        let found = try connection.run("SELECT sql FROM sqlite_schema ORDER BY rowid")
        if found.isEmpty, mayBeNew {
            // All or none: a store with some of its tables is damaged.
            try connection.run("BEGIN IMMEDIATE")
            for statement in Self.statements { try connection.run(statement) }
            try connection.run("COMMIT")
        } else if !Self.isSchema(found) {
            throw SQLiteFailure(damage: "the tables are not those of a store")
        }
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        rollback = try connection.prepare("ROLLBACK")
        pages = try PageCounter(on: connection)
        tags = try TagTable(on: connection)
        deadLetters = try DeadLetterTable(on: connection, pages: pages)
        meta = try MetaTable(on: connection, pages: pages)
    }

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
            // What was counted of rows that are there, or not there, after all.
            tags.forgetUse()
            throw error
        }
    }

    /// Moves the log into the database, and empties it.
    func checkpoint() throws(SQLiteFailure) {
        try connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Moves the log into the database, and leaves it its size: the next commits write over it, and need no more of
    /// the disk.
    func checkpointInPlace() throws(SQLiteFailure) {
        try connection.run("PRAGMA wal_checkpoint(PASSIVE)")
    }

    /// Whether the database has all that the log has, once this moves it there.
    func finishLog() throws(SQLiteFailure) -> Bool {
        let checkpoint = try connection.prepare("PRAGMA wal_checkpoint(PASSIVE)")
        guard try checkpoint.step() else { return false }
        defer { checkpoint.reset() }
        return checkpoint.integer(at: 1) == checkpoint.integer(at: 2)
    }

    /// The first complaints of SQLite's own check; none where the structure is intact.
    func structureProblems() throws(SQLiteFailure) -> [String] {
        let rows = try connection.run("PRAGMA quick_check(20)")
        return rows == ["ok"] ? [] : rows
    }

    /// Gives pages at the end of the file back to the disk.
    func vacuum(pageCount: Int) throws(SQLiteFailure) {
        try connection.run("PRAGMA incremental_vacuum(\(pageCount))")
    }
}
