import ByteReading
package import NielsenID3
package import TagRecord
package import TagStore
import TimedMedia

/// The unique id of a tag.
///
/// It is a hash of where the tag comes from and what it says, so that a recording that is run twice, or a segment that
/// is read again after a restart, brings the same ids and the collector counts each tag once.
package enum TagIdentity {
    /// The id of a tag in a buffer: the first half of a SHA-256.
    package static func id(of occurrence: TagOccurrence, in store: StoreID) -> TagID {
        let place = occurrence.origin.place
        let time = occurrence.time.map { "\($0.ticks)/\($0.timescale)" } ?? ""
        let fields: [String] =
            switch occurrence.origin {
            case .recording: [store.text, place.source, place.segment ?? "", time]
            case .channel(let id, _): ["channel", id, place.mediaSequence.map { String($0) } ?? "", time]
            case .session(let session, _): ["session", session.id, String(session.order)]
            }
        return id(of: fields, occurrence.tag.ownerIdentifier)
    }

    /// The id of the summary of an asset.
    package static func id(of summary: AssetSummary) -> TagID {
        id(of: ["summary", summary.session.id, String(summary.session.order)], [])
    }

    private static func id(of fields: [String], _ owner: [UInt8]) -> TagID {
        var text: [UInt8] = []
        // A zero byte parts the fields: none of them can hold one but the owner, which comes last.
        for field in fields {
            text.append(contentsOf: field.utf8)
            text.append(0)
        }
        text.append(contentsOf: owner)
        let digest = Digest.sha256(text).span
        return TagID(high: digest.bigEndianUInt64(at: 0), low: digest.bigEndianUInt64(at: 8))
    }
}
