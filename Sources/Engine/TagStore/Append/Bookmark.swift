internal import ByteReading

/// How far a reader has come, kept with the tags that it read: both are on the disk after a crash, or neither.
package struct Bookmark: Sendable, Hashable {
    /// The reader: a rendition of a channel.
    package let reader: String
    /// Where the reader is: the media sequence number of a segment that was read to its end.
    package let position: Int64
    /// The newest tags of the channel, by which copies are recognized after a restart; nil to keep none.
    package let recentTags: RecentTags?

    /// The newest tags that were stored of a channel.
    package struct RecentTags: Sendable, Hashable {
        /// The id of the channel.
        package let channel: String
        /// The first halves of the tags' ids, oldest first; at most `maximumCount` are kept.
        package let ids: [UInt64]

        /// How many tags are kept of a channel: those of 21 minutes, in 1 KiB.
        package static let maximumCount = 128

        /// The newest tags of a channel.
        package init(channel: String, ids: [UInt64]) {
            self.channel = channel
            self.ids = ids.suffix(Self.maximumCount)
        }
    }

    /// The place of a reader.
    package init(reader: String, position: Int64, recentTags: RecentTags? = nil) {
        self.reader = reader
        self.position = position
        self.recentTags = recentTags
    }

    /// The key of the table `meta` that keeps the place of a reader.
    static func key(of reader: String) -> String { "bookmark/\(reader)" }

    /// The key of the table `meta` that keeps the newest tags of a channel.
    static func recentTagsKey(of channel: String) -> String { "recent/\(channel)" }
}

extension MetaTable {
    /// The first halves of the ids of a channel's newest tags; empty where none are kept.
    func recentTags(of channel: String) throws(SQLiteFailure) -> [UInt64] {
        let bytes = try value(Bookmark.recentTagsKey(of: channel)) ?? []
        return stride(from: 0, to: bytes.count / 8 * 8, by: 8).map { bytes.span.bigEndianUInt64(at: $0) }
    }

    /// Writes how far a reader has come.
    func set(_ bookmark: Bookmark) throws(SQLiteFailure) {
        try setNumber(Bookmark.key(of: bookmark.reader), bookmark.position)
        guard let recent = bookmark.recentTags else { return }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(recent.ids.count * 8)
        for id in recent.ids { bytes.append(bigEndian: id) }
        try set(Bookmark.recentTagsKey(of: recent.channel), bytes)
    }
}
