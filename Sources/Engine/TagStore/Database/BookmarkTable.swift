internal import ByteReading

/// The bookmarks of all channels: a value of `meta` for each channel, of at most 1,805 bytes.
///
/// That of a channel with up to ten readers fits into its row; a longer one takes another page of the database.
///
///     owner of the channel's tags                          4 bytes
///     wall clock of the last write, in milliseconds        8 bytes
///     number of readers                                    1 byte
///     hash and position of each, last written last        16 bytes
///     newest tags                                          6 bytes each
///
/// Earlier versions had a value for the position of each reader, and one for the newest tags of each channel, under
/// their names. They are read until the channel has a value of its own.
final class BookmarkTable {
    /// The number of rows per transaction when several are deleted.
    static let deletionStep = 32
    private static let headerByteCount = 13

    private let meta: MetaTable
    private let listing: SQLiteStatement
    private let measuring: SQLiteStatement
    private let deletion: SQLiteStatement
    private let deletionOfEarlier: SQLiteStatement

    init(on connection: borrowing SQLiteConnection, meta: MetaTable) throws(SQLiteFailure) {
        let own = "key >= 'bookmarks/' AND key < 'bookmarks0'"
        let earlier = "(key >= 'bookmark/' AND key < 'bookmark0' OR key >= 'recent/' AND key < 'recent0')"
        listing = try connection.prepare(
            "SELECT key, length(value), substr(value, 1, \(Self.headerByteCount)) FROM meta WHERE \(own)")
        measuring = try connection.prepare(
            """
            SELECT ifnull(sum(length(key) + length(value) + 24 + iif(length(value) > 950, 4096, 0)), 0) FROM meta \
            WHERE \(own) OR \(earlier)
            """)
        deletion = try connection.prepare("DELETE FROM meta WHERE key = ?")
        deletionOfEarlier = try connection.prepare(
            "DELETE FROM meta WHERE key IN (SELECT key FROM meta WHERE \(earlier) LIMIT 500)")
        self.meta = meta
    }

    // MARK: Channels

    /// Returns the position of a reader of a channel; nil if none is stored.
    func position(of reader: String, in channel: String) throws(SQLiteFailure) -> Int64? {
        let hash = Self.hash(reader)
        if let entry = try entry(of: channel),
            let found = entry.positions.last(where: { $0.reader == hash })
        {
            return found.position
        }
        return try meta.number(Self.earlierKey(ofReader: reader))
    }

    /// Returns a channel's newest tags; empty if none are stored.
    func recentTags(of channel: String) throws(SQLiteFailure) -> [Bookmark.RecentTag] {
        if let entry = try entry(of: channel) { return entry.recentTags }
        guard let bytes = try meta.value(Self.earlierKey(ofChannel: channel)) else { return [] }
        return Self.numbers(in: bytes.span).map { Bookmark.RecentTag(bits: $0 >> 16) }
    }

    /// Writes a bookmark, and returns the growth of its channel's value in bytes.
    func set(_ bookmark: Bookmark, at wall: Int64) throws(SQLiteFailure) -> Int {
        let found = try entry(of: bookmark.channel)
        var entry = Entry()
        if let found {
            entry = found
        } else {
            entry.recentTags = try recentTags(of: bookmark.channel)
            try delete(Self.earlierKey(ofChannel: bookmark.channel))
        }
        let reader = Self.hash(bookmark.reader)
        if let index = entry.positions.lastIndex(where: { $0.reader == reader }) {
            entry.positions.remove(at: index)
        } else {
            try delete(Self.earlierKey(ofReader: bookmark.reader))
        }
        entry.positions.append((reader, bookmark.position))
        entry.positions.removeFirst(max(0, entry.positions.count - Bookmark.maximumReaderCount))
        entry.recentTags = bookmark.recentTags ?? entry.recentTags
        let value = entry.bytes(owner: TagOwner(channel: bookmark.channel), wall: wall)
        try meta.set(Self.key(of: bookmark.channel), value)
        return value.count - (found?.byteCount ?? 0)
    }

    private func entry(of channel: String) throws(SQLiteFailure) -> Entry? {
        guard let bytes = try meta.value(Self.key(of: channel)) else { return nil }
        return Entry(bytes.span)
    }

    private static func key(of channel: String) -> String {
        "bookmarks/" + Hexadecimal.text(Digest.sha256(Array(channel.utf8)).prefix(16))
    }

    private static func earlierKey(ofReader reader: String) -> String { "bookmark/\(reader)" }

    private static func earlierKey(ofChannel channel: String) -> String { "recent/\(channel)" }

    private static func hash(_ reader: String) -> UInt64 {
        Digest.sha256(Array(reader.utf8)).span.bigEndianUInt64(at: 0)
    }

    /// The content of a value.
    private struct Entry {
        var positions: [(reader: UInt64, position: Int64)] = []
        var recentTags: [Bookmark.RecentTag] = []

        /// The size of the value.
        var byteCount: Int { headerByteCount + positions.count * 16 + recentTags.count * 6 }

        init() {}

        /// Reads a value; nil if it is too short.
        init?(_ bytes: Span<UInt8>) {
            guard bytes.count >= headerByteCount else { return nil }
            let start = headerByteCount + Int(bytes[headerByteCount - 1]) * 16
            guard bytes.count >= start else { return nil }
            recentTags = stride(from: start, through: bytes.count - 6, by: 6).map { offset in
                let high = UInt64(bytes.bigEndianUInt16(at: offset)) << 32
                return Bookmark.RecentTag(bits: high | UInt64(bytes.bigEndianUInt32(at: offset + 2)))
            }
            let numbers = BookmarkTable.numbers(in: bytes.extracting(headerByteCount..<start))
            positions = stride(from: 0, to: numbers.count, by: 2).map {
                (numbers[$0], Int64(bitPattern: numbers[$0 + 1]))
            }
        }

        func bytes(owner: TagOwner, wall: Int64) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(byteCount)
            bytes.append(bigEndian: UInt32(truncatingIfNeeded: owner.upperHalf))
            bytes.append(bigEndian: UInt64(bitPattern: wall))
            bytes.append(UInt8(positions.count))
            for (reader, position) in positions {
                bytes.append(bigEndian: reader)
                bytes.append(bigEndian: UInt64(bitPattern: position))
            }
            for tag in recentTags {
                bytes.append(bigEndian: UInt16(truncatingIfNeeded: tag.bits >> 32))
                bytes.append(bigEndian: UInt32(truncatingIfNeeded: tag.bits))
            }
            return bytes
        }
    }

    private static func numbers(in bytes: Span<UInt8>) -> [UInt64] {
        stride(from: 0, to: bytes.count / 8 * 8, by: 8).map { bytes.bigEndianUInt64(at: $0) }
    }

    // MARK: All channels

    /// The facts about a channel's value without its content.
    struct Listed {
        let key: String
        let owner: TagOwner
        /// The wall clock of the last write, in milliseconds.
        let written: Int64
        let byteCount: Int
    }

    /// Returns the value of each channel.
    func list() throws(SQLiteFailure) -> [Listed] {
        var rows: [Listed] = []
        while try listing.step() {
            let (owner, written) = listing.withBytes(at: 2) { header in
                header.count < Self.headerByteCount
                    ? (0, 0) : (header.bigEndianUInt32(at: 0), header.bigEndianUInt64(at: 4))
            }
            rows.append(
                Listed(
                    key: listing.text(at: 0), owner: TagOwner(ofColumn: Int64(owner) << 32),
                    written: Int64(bitPattern: written), byteCount: Int(listing.integer(at: 1))))
        }
        return rows
    }

    /// Returns the approximate size of all values.
    func byteCount() throws(SQLiteFailure) -> Int { Int(try measuring.number()) }

    /// Deletes the value of a channel.
    func delete(_ channel: Listed) throws(SQLiteFailure) { try delete(channel.key) }

    /// Deletes one step of the values of earlier versions and returns their number.
    func deleteEarlier() throws(SQLiteFailure) -> Int64 { try deletionOfEarlier.finishChanging() }

    private func delete(_ key: String) throws(SQLiteFailure) {
        try deletion.bind(key, at: 1)
        try deletion.finish()
    }
}
