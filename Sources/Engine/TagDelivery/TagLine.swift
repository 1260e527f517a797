import TagRecord
package import TagStore
import TextForms

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
            let record = try StoredRecord.decode(tag.body.span)
            writer.beginObject()
            record.writeWireMembers(id: tag.id.text, received: tag.received, to: &writer)
            writer.endObject()
            return record.optedOutStore.flatMap { TagID(text: $0) }.map { StoreID($0) }
        }
    }
}
