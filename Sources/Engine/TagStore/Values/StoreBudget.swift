/// The distribution of a buffer's size limit among its files.
///
///     database   the remainder                         26 MiB of 30,000,000 bytes
///     WAL        checkpoint pages + one transaction    1.6 MB of 30,000,000 bytes; allocated at the beginning
///     reserve    the same number of pages, because a checkpoint on a full disk grows the database by the whole WAL
///     the rest   16 KiB                                lock, high-water mark, status and its successor
struct StoreBudget: Sendable, Hashable {
    static let pageByteCount = 4_096
    /// A WAL frame is a page and a header of 24 bytes (SQLite file format, section 4.1).
    static let frameByteCount = pageByteCount + 24
    static let smallFilesByteCount = 16_384
    /// The maximum number of tags removed in one step, for any reason.
    static let deletionStep = 500
    /// The maximum size of the tags removed in one step, unless the step is a single larger tag.
    static let deletionStepByteCount = 196_608
    /// The maximum number of rows in a commit of several appends.
    static let groupRowCount = 50

    let maximumByteCount: Int
    let reserveByteCount: Int
    let checkpointPageCount: Int
    /// The maximum size of the log.
    let walByteCount: Int
    let maximumAppendByteCount: Int
    /// The maximum size of the dead letters.
    let deadByteCount: Int
    /// The maximum size of the bookmarks.
    let bookmarkByteCount: Int
    /// The pages in use at which the oldest tags are evicted.
    let usablePageCount: Int
    /// The limit enforced by SQLite, as a second barrier above `usablePageCount`.
    let fencePageCount: Int

    /// Computes the budget from the size limit and the space on the disk.
    ///
    /// - Parameter roomByteCount: The space that the disk has for the buffer. On a small disk, the log and the reserve
    ///   are smaller to leave space for the tags.
    init(maximumByteCount: Int, roomByteCount: Int = .max) {
        self.maximumByteCount = maximumByteCount
        deadByteCount = min(1_048_576, maximumByteCount / 28)
        let room = min(maximumByteCount, max(StoreSettings.leastMaximumByteCount, roomByteCount))
        let share = room / 28
        checkpointPageCount = min(256, max(8, share / Self.pageByteCount))
        maximumAppendByteCount = min(196_608, max(49_152, room / 112))
        // One deletion step touches up to 64 pages. Rows fill pages to at least two thirds.
        let transactionPageCount = 64 + maximumAppendByteCount * 3 / 2 / Self.pageByteCount
        reserveByteCount = (checkpointPageCount + transactionPageCount) * Self.pageByteCount
        walByteCount = 32 + (checkpointPageCount + transactionPageCount) * Self.frameByteCount
        let databaseByteCount = maximumByteCount - reserveByteCount - walByteCount - Self.smallFilesByteCount
        fencePageCount = min(databaseByteCount / Self.pageByteCount, maximumByteCount / 4_500)
        usablePageCount = fencePageCount - 16
        bookmarkByteCount = usablePageCount * Self.pageByteCount / 4
    }

    /// Returns a safe estimate of the pages for rows of `byteCount` bytes in total.
    func pageCount(ofRows rowCount: Int, byteCount: Int) -> Int {
        (byteCount + rowCount * 48) * 9 / 8 / Self.pageByteCount + 4
    }
}
