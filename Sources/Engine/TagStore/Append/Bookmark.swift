internal import ByteReading

/// The position of a reader, stored in the same transaction as the tags that it read.
///
/// After a crash, either both are on the disk or neither.
package struct Bookmark: Sendable, Hashable, Codable {
    /// The reader: a rendition of a channel.
    package let reader: String
    /// The media sequence number of the last segment that was read completely.
    package let position: Int64
    /// The newest tags of the channel, which identify duplicates after a restart; nil stores none.
    package let recentTags: RecentTags?

    /// The newest tags stored for a channel.
    package struct RecentTags: Sendable, Hashable, Codable {
        /// The id of the channel.
        package let channel: String
        /// The high 64 bits of the tag ids, oldest first; only the last `maximumCount` are kept.
        package let ids: [UInt64]

        /// The maximum number of tags per channel: those of 21 minutes, in 1 KiB.
        package static let maximumCount = 128

        /// Creates the entry of a channel from its newest tag ids.
        package init(channel: String, ids: [UInt64]) {
            self.channel = channel
            self.ids = ids.suffix(Self.maximumCount)
        }
    }

    /// Creates a bookmark for a reader.
    package init(reader: String, position: Int64, recentTags: RecentTags? = nil) {
        self.reader = reader
        self.position = position
        self.recentTags = recentTags
    }

    /// Returns the key in `meta` for the position of a reader.
    static func key(of reader: String) -> String { "bookmark/\(reader)" }

    /// Returns the key in `meta` for the newest tags of a channel.
    static func recentTagsKey(of channel: String) -> String { "recent/\(channel)" }
}

extension MetaTable {
    /// Returns the high 64 bits of the ids of a channel's newest tags; empty if none are stored.
    func recentTags(of channel: String) throws(SQLiteFailure) -> [UInt64] {
        let bytes = try value(Bookmark.recentTagsKey(of: channel)) ?? []
        return stride(from: 0, to: bytes.count / 8 * 8, by: 8).map { bytes.span.bigEndianUInt64(at: $0) }
    }

    /// Writes a bookmark.
    func set(_ bookmark: Bookmark) throws(SQLiteFailure) {
        try setNumber(Bookmark.key(of: bookmark.reader), bookmark.position)
        guard let recent = bookmark.recentTags else { return }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(recent.ids.count * 8)
        for id in recent.ids { bytes.append(bigEndian: id) }
        try set(Bookmark.recentTagsKey(of: recent.channel), bytes)
    }
}
