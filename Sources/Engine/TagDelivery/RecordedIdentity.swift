import NielsenID3
import TagRecord
import TagStore
import TimedMedia

/// The unique id of a tag that was read from recorded input.
///
/// It follows from the store, the source, the segment, the time and the owner identifier, so that the same
/// recording run twice brings the same ids and the collector counts each tag once.
enum RecordedIdentity {
    /// The id of a record in a store: the first half of a SHA-256.
    static func id(of record: TagOccurrence, in store: StoreID) -> TagID {
        var text: [UInt8] = []
        // A zero byte parts the fields: none of them can hold one but the owner, which comes last.
        for field in [store.text, record.origin.source, record.origin.segment ?? ""] {
            text.append(contentsOf: field.utf8)
            text.append(0)
        }
        if let time = record.time { text.append(contentsOf: "\(time.ticks)/\(time.timescale)".utf8) }
        text.append(0)
        text.append(contentsOf: record.tag.ownerIdentifier)
        let digest = Digest.sha256(text).span
        return TagID(high: digest.bigEndianUInt64(at: 0), low: digest.bigEndianUInt64(at: 8))
    }
}
