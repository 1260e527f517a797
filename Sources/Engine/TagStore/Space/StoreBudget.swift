/// How the bound of a buffer is shared out among its files.
///
///     database   what is left                          26 MiB of 30,000,000 bytes
///     WAL        checkpoint pages + one transaction    1.6 MB of 30,000,000 bytes; has them from the beginning
///     reserve    as many pages: on a full disk the database grows by all that the WAL has
///     the rest   16 KiB                                lock, high-water mark, status and its successor
struct StoreBudget: Sendable, Hashable {
    static let pageByteCount = 4_096
    /// A frame of the WAL is a page and a header of 24 bytes (SQLite file format, 4.1).
    static let frameByteCount = pageByteCount + 24
    static let smallFilesByteCount = 16_384
    /// How many tags leave the buffer in one step, whatever the reason.
    static let deletionStep = 500
    /// What they may take in the database together, but for a lone tag.
    static let deletionStepByteCount = 196_608
    /// How many tags that were appended separately share a commit.
    static let groupRowCount = 50

    let maximumByteCount: Int
    let reserveByteCount: Int
    let checkpointPageCount: Int
    /// What the log may take.
    let walByteCount: Int
    let maximumAppendByteCount: Int
    /// What the tags that a collector refused may take.
    let deadByteCount: Int
    /// Pages that may be in use before the oldest tags make room.
    let usablePageCount: Int
    /// SQLite's own limit, a second one after that above.
    let fencePageCount: Int

    /// - Parameter roomByteCount: What the disk has for the buffer. On a small one log and reserve are smaller, so that
    ///   something is left for the tags.
    init(maximumByteCount: Int, roomByteCount: Int = .max) {
        self.maximumByteCount = maximumByteCount
        deadByteCount = min(1_048_576, maximumByteCount / 28)
        let room = min(maximumByteCount, max(StoreSettings.leastMaximumByteCount, roomByteCount))
        let share = room / 28
        checkpointPageCount = min(256, max(8, share / Self.pageByteCount))
        maximumAppendByteCount = min(196_608, max(49_152, room / 112))
        // A step of deletions touches up to 64 pages; rows fill pages to two thirds or better.
        let transactionPageCount = 64 + maximumAppendByteCount * 3 / 2 / Self.pageByteCount
        reserveByteCount = (checkpointPageCount + transactionPageCount) * Self.pageByteCount
        walByteCount = 32 + (checkpointPageCount + transactionPageCount) * Self.frameByteCount
        let databaseByteCount = maximumByteCount - reserveByteCount - walByteCount - Self.smallFilesByteCount
        fencePageCount = min(databaseByteCount / Self.pageByteCount, maximumByteCount / 4_500)
        usablePageCount = fencePageCount - 16
    }

    /// A safe guess at the pages that rows of `byteCount` bytes in all will fill.
    func pageCount(ofRows rowCount: Int, byteCount: Int) -> Int {
        (byteCount + rowCount * 48) * 9 / 8 / Self.pageByteCount + 4
    }
}
