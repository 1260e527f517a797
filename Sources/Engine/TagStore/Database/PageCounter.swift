/// How many pages of the database hold something.
///
/// SQLite prepares a query for its page counts anew each time, which for both takes a seventh of the instructions
/// of a lone append. So while there is plenty of room they are estimated, and counted only near the limit.
final class PageCounter {
    private let all: SQLiteStatement
    private let free: SQLiteStatement
    /// The pages that may be in use by now, from when they were counted last; nil where nobody knows.
    private(set) var estimate: Int?

    init(on connection: borrowing SQLiteConnection) throws(SQLiteFailure) {
        all = try connection.prepare("PRAGMA page_count")
        free = try connection.prepare("PRAGMA freelist_count")
    }

    /// Whether rows that fill so many pages at a safe guess, and are appended next, leave no more than `usable` in
    /// use.
    ///
    /// Twice the guess is added to the estimate: rows of half a page fill twice the pages that their bytes would.
    func hasRoom(forPages needed: Int, within usable: Int) throws(SQLiteFailure) -> Bool {
        if let estimate, estimate + needed <= usable {
            self.estimate = estimate + 2 * needed
            return true
        }
        let used = try usedCount()
        estimate = used + 2 * needed
        return used + needed <= usable
    }

    /// Whether `hasRoom` would say no; estimates nothing.
    func lacksRoom(forPages needed: Int, within usable: Int) throws(SQLiteFailure) -> Bool {
        if let estimate, estimate + needed <= usable { return false }
        return try usedCount() + needed > usable
    }

    /// Something else than appended rows is about to grow.
    func forget() { estimate = nil }

    func usedCount() throws(SQLiteFailure) -> Int { try allCount() - freeCount() }

    func allCount() throws(SQLiteFailure) -> Int { Int(try all.number()) }

    func freeCount() throws(SQLiteFailure) -> Int { Int(try free.number()) }
}
