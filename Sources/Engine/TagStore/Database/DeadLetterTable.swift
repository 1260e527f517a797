/// The tags that a collector permanently refused, each with its reason.
final class DeadLetterTable {
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
    func restore(_ letter: DeadLetterRow) throws(SQLiteFailure) {
        pages.forget()
        let fields = letter.row.fields
        try restoration.bind(fields.sequence, at: 1)
        try restoration.bind(fields.id.bytes.span, at: 2)
        try restoration.bind(fields.receivedWall, at: 3)
        try restoration.bind(fields.receivedBoot, at: 4)
        try restoration.bind(fields.epoch, at: 5)
        try restoration.bind(fields.checksum(body: letter.row.body.span), at: 6)
        try restoration.bind(fields.encoding, at: 7)
        try restoration.bind(letter.row.body.span, at: 8)
        try restoration.bind(letter.code, at: 9)
        try restoration.bind(letter.refused, at: 10)
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
