/// How the bound of a buffer is shared out among its files.
///
///     database   what is left                          26 MiB of 30,000,000 bytes
///     WAL        checkpoint pages + one transaction    at most 1.6 MB, 1.1 MB as a rule
///     reserve    one transaction and more, at most 1 MiB: freed when the disk is full
///     the rest   16 KiB                                lock, high-water mark, status and its successor
struct StoreBudget: Sendable, Hashable {
    static let pageByteCount = 4_096
    /// A frame of the WAL is a page and a header of 24 bytes (SQLite file format, 4.1).
    static let frameByteCount = pageByteCount + 24
    static let smallFilesByteCount = 16_384
    /// How many tags leave the buffer in one step, whatever the reason.
    static let deletionStep = 500
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
    /// SQLite's own fence, behind the one above.
    let fencePageCount: Int

    init(maximumByteCount: Int) {
        self.maximumByteCount = maximumByteCount
        let share = maximumByteCount / 28
        deadByteCount = min(1_048_576, share)
        checkpointPageCount = min(256, max(8, share / Self.pageByteCount))
        maximumAppendByteCount = min(196_608, max(49_152, maximumByteCount / 112))
        // A step of deletions touches up to 64 pages; rows fill pages to two thirds or better.
        let transactionPageCount = 64 + maximumAppendByteCount * 3 / 2 / Self.pageByteCount
        // Less than one transaction with its eviction would free the disk for nothing.
        let reservePageCount = max(transactionPageCount * 5 / 4, share / Self.pageByteCount)
        reserveByteCount = min(1_048_576, reservePageCount * Self.pageByteCount)
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
