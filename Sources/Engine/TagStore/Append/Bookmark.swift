/// How far a reader has come, kept with the tags that it read: both are on the disk after a crash, or neither.
package struct Bookmark: Sendable, Hashable {
    /// Who reads: the id of a channel.
    package let reader: String
    /// Where the reader is: the media sequence number of a segment that was read to its end.
    package let position: Int64

    /// The place of a reader.
    package init(reader: String, position: Int64) {
        self.reader = reader
        self.position = position
    }

    /// The key of the table `meta` that keeps the place of a reader.
    static func key(of reader: String) -> String { "bookmark/\(reader)" }
}
