public import TagStore

/// A batch of tags on its way to a sink.
public struct TagBatch: Sendable {
    /// A hash of the ordered ids: the same tags in the same order have the same.
    public let id: String
    /// The ids of the tags, in order.
    public let tagIDs: [TagID]
    /// The batch as NDJSON, not compressed: its header, then a tag a line.
    public let body: [UInt8]
    /// Which try this is, from 1.
    public let attempt: Int
    /// How the body is to be compressed, where the sink compresses.
    public let encoding: ContentEncoding

    /// What bodies of a batch take at most in the buffer, uncompressed.
    static let maximumStoredByteCount = 2_000_000

    /// What the lines of the tags take before compression, without the header.
    var lineByteCount: Int { body.count - (body.firstIndex(of: 0x0A).map { $0 + 1 } ?? 0) }

    /// A batch of those tags.
    package init(id: String, tagIDs: [TagID], body: [UInt8], attempt: Int, encoding: ContentEncoding) {
        self.id = id
        self.tagIDs = tagIDs
        self.body = body
        self.attempt = attempt
        self.encoding = encoding
    }
}
