import TagRecord
public import TagStore
import TextForms

/// A batch of tags for a sink.
public struct TagBatch: Sendable {
    /// A hash of the tag ids, equal for the same tags in the same order.
    public let id: String
    /// The ids of the tags, in order.
    public let tagIDs: [TagID]
    /// The uncompressed batch as NDJSON: a header line, then one line per tag.
    public let body: [UInt8]
    /// The number of the attempt, from 1.
    public let attempt: Int
    /// The encoding to use if the sink compresses.
    public let encoding: ContentEncoding

    /// The maximum total size of the stored bodies in a batch, uncompressed.
    static let maximumStoredByteCount = 2_000_000

    /// The size of the tag lines before compression, without the header.
    var lineByteCount: Int { body.count - (body.firstIndex(of: 0x0A).map { $0 + 1 } ?? 0) }

    /// Creates a batch of tags.
    package init(id: String, tagIDs: [TagID], body: [UInt8], attempt: Int, encoding: ContentEncoding) {
        self.id = id
        self.tagIDs = tagIDs
        self.body = body
        self.attempt = attempt
        self.encoding = encoding
    }
}

extension BatchBuilder {
    /// Creates a builder that decodes each `StoredRecord` and writes it as a line for collectors.
    ///
    /// - Parameters:
    ///   - store: The id of the buffer that holds the tags.
    ///   - version: The version of the library, for the header.
    package static func recordedTags(of store: StoreID, version: String) -> BatchBuilder {
        BatchBuilder(store: store, version: version) { tag, line in
            var writer = JSONWriter(appendingTo: line)
            line = []
            defer { line = writer.bytes }
            writer.beginObject()
            let optedOutStore = try StoredRecord.writeWireMembers(
                of: tag.body.span, id: tag.id.text, received: tag.received, to: &writer)
            writer.endObject()
            return optedOutStore.flatMap { TagID(text: $0) }.map { StoreID($0) }
        }
    }
}
