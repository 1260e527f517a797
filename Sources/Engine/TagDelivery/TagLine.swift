import TagRecord
package import TagStore
import TextForms

extension BatchBuilder {
    /// A builder for what a `StoredRecord` was stored for: each becomes the line that collectors know.
    ///
    /// - Parameters:
    ///   - store: the buffer that the tags come from.
    ///   - version: the library's version, for the header.
    package static func recordedTags(of store: StoreID, version: String) -> BatchBuilder {
        BatchBuilder(store: store, version: version) { tag, line in
            var writer = JSONWriter(appendingTo: line)
            line = []
            defer { line = writer.bytes }
            let record = try StoredRecord.decode(tag.body.span)
            writer.beginObject()
            record.writeWireMembers(id: tag.id.text, received: tag.received, to: &writer)
            writer.endObject()
            return record.optedOutStore.flatMap { TagID(text: $0) }.map { StoreID($0) }
        }
    }
}
