import ByteReading
package import NielsenID3
package import TagRecord
package import TagStore
import TimedMedia

/// The unique id of a tag.
///
/// It is a hash of where the tag comes from and what it says, so that a recording that is run twice, a segment that is
/// read again after a restart, and two processes that read the same channel bring the same ids, and the collector counts
/// each tag once.
package enum TagIdentity {
    /// Returns the id of a tag: the first half of a SHA-256.
    ///
    /// A tag of a live channel with a valid checksum is identified by the channel and its owner identifier: the same bytes
    /// from another rendition, from the backup, or aired again are the same tag. Damaged bytes may be those of two tags, and
    /// are told apart by media sequence and time.
    package static func id(of occurrence: TagOccurrence) -> TagID {
        let place = occurrence.origin.place
        let time = occurrence.time.map { "\($0.ticks)/\($0.timescale)" } ?? ""
        let fields: [String] =
            switch occurrence.origin {
            case .recording: ["recording", place.source, place.segment ?? "", time]
            case .channel(let id, _) where occurrence.tag.isChecksumValid == true: ["channel", id]
            case .channel(let id, _):
                ["damaged", id, place.mediaSequence.map { String($0) } ?? "", time]
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
