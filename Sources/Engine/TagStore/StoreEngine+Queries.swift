/// Questions about the buffer.
extension StoreEngine {
    func deliveryState() throws(StoreError) -> [UInt8] { try outbox.deliveryState() }

    func tags(after sequence: Int64, maximumCount: Int) throws(StoreError) -> [StoredTag] {
        try reader.tags(after: sequence, maximumCount: maximumCount)
    }

    func deadLetters(after sequence: Int64, maximumCount: Int) throws(StoreError) -> [DeadLetter] {
        try reader.deadLetters(after: sequence, maximumCount: maximumCount)
    }

    func bookmark(of reader: String, in channel: String) throws(StoreError) -> Int64? {
        if gate.isWithoutDatabase { return nil }
        return try gate.read { database throws(SQLiteFailure) in
            try database.bookmarks.position(of: reader, in: channel)
        }
    }

    func recentTags(of channel: String) throws(StoreError) -> [Bookmark.RecentTag] {
        if gate.isWithoutDatabase { return [] }
        return try gate.read { database throws(SQLiteFailure) in
            try database.bookmarks.recentTags(of: channel)
        }
    }

    func checkInPlace() throws(StoreError) {
        guard lock != nil else { throw .closed }
        guard isInPlace else { throw .removed(path: folder.path) }
    }

    /// Writes the tags in memory to the disk and returns whether none remain in memory.
    func flush() throws(StoreError) -> Bool {
        try checkInPlace()
        // The caller asks about the disk now, whatever the last attempt found. Without tags in memory, its next write
        // needs the database.
        do throws(StoreError) {
            try gate.ensureOpen(atOnce: true)
        } catch {
            return overflow.isEmpty
        }
        return overflow.isEmpty || moveOverflowToDisk()
    }

    func verify() throws(StoreError) -> StoreVerification { try reader.verify() }
}
