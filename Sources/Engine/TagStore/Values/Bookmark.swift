/// The position of a reader, stored in the same transaction as the tags that it read.
///
/// After a crash, either both are on the disk or neither.
package struct Bookmark: Sendable, Hashable, Codable {
    /// The id of the channel.
    package let channel: String
    /// The name of the reader, a rendition of the channel; the buffer stores its hash.
    package let reader: String
    /// The media sequence number of the last segment that was read completely.
    package let position: Int64
    /// The newest tags of the channel, oldest first, which identify duplicates after a restart; nil changes none.
    package let recentTags: [RecentTag]?

    /// The first 48 bits of the id of a tag.
    package struct RecentTag: Sendable, Hashable, Codable {
        let bits: UInt64

        /// Creates the entry of the tag with an id.
        package init(_ id: TagID) { bits = id.high >> 16 }

        init(bits: UInt64) { self.bits = bits }
    }

    /// The maximum number of newest tags that a channel keeps: those of 21 minutes.
    package static let maximumTagCount = 128

    /// The maximum number of readers whose positions a channel keeps.
    ///
    /// Their names come from playlists; the position that was not written for the longest time is dropped.
    package static let maximumReaderCount = 64

    /// Creates a bookmark for a reader; only the last `maximumTagCount` tags are kept.
    package init(channel: String, reader: String, position: Int64, recentTags: [RecentTag]? = nil) {
        self.channel = channel
        self.reader = reader
        self.position = position
        self.recentTags = recentTags?.suffix(Self.maximumTagCount)
    }
}
