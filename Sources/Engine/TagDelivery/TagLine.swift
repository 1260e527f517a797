import NielsenID3
import TagRecord
package import TagStore
import TextForms

extension BatchBuilder {
    /// A builder for the tags that a `TagOccurrence` was stored for: each becomes the line that collectors know.
    ///
    /// - Parameters:
    ///   - store: the buffer that the tags come from.
    ///   - version: the library's version, for the header.
    package static func recordedTags(of store: StoreID, version: String) -> BatchBuilder {
        BatchBuilder(store: store, version: version) { tag, line in
            var writer = JSONWriter(appendingTo: line)
            line = []
            defer { line = writer.bytes }
            let occurrence = try StoredBody.decode(tag.body.span)
            occurrence.writeWireObject(id: tag.id.text, received: tag.received, to: &writer)
            guard case .session(let session, _) = occurrence.origin else { return nil }
            return session.optedOutStore.flatMap { TagID(text: $0) }.map { StoreID($0) }
        }
    }
}
