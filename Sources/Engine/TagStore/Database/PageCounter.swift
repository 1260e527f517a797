/// A counter for the database pages in use.
///
/// SQLite prepares the two page count queries again on every run, which costs a seventh of the instructions of a single
/// append. The count is therefore estimated while there is plenty of space, and exact only near the limit.
final class PageCounter {
    private let all: SQLiteStatement
    private let free: SQLiteStatement
    /// An upper estimate of the pages in use, based on the last exact count; nil if unknown.
    private(set) var estimate: Int?

    init(on connection: borrowing SQLiteConnection) throws(SQLiteFailure) {
        all = try connection.prepare("PRAGMA page_count")
        free = try connection.prepare("PRAGMA freelist_count")
    }

    /// Returns whether the next rows fit without using more than `usable` pages.
    ///
    /// Adds twice the needed pages to the estimate, because rows of half a page fill twice the pages that their bytes
    /// would.
    ///
    /// - Parameter needed: A safe estimate of the pages for the next rows.
    func hasRoom(forPages needed: Int, within usable: Int) throws(SQLiteFailure) -> Bool {
        if let estimate, estimate + needed <= usable {
            self.estimate = estimate + 2 * needed
            return true
        }
        let used = try usedCount()
        estimate = used + 2 * needed
        return used + needed <= usable
    }

    /// Returns whether `hasRoom` would return false, without changing the estimate.
    func lacksRoom(forPages needed: Int, within usable: Int) throws(SQLiteFailure) -> Bool {
        if let estimate, estimate + needed <= usable { return false }
        return try usedCount() + needed > usable
    }

    /// Discards the estimate, before anything but appended rows makes the database grow.
    func forget() { estimate = nil }

    func usedCount() throws(SQLiteFailure) -> Int { try allCount() - freeCount() }

    func allCount() throws(SQLiteFailure) -> Int { Int(try all.number()) }

    func freeCount() throws(SQLiteFailure) -> Int { Int(try free.number()) }
}
