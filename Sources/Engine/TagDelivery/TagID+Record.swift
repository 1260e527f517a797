import ByteReading
import ID3v2
package import NielsenID3
package import TagRecord
package import TagStore

/// The unique ids of records.
///
/// An id is a hash of the origin and the content of the tag. The id stays the same if a recording is read twice, if a
/// segment is read again after a restart, or if two processes read one channel. The collector then counts each tag
/// once.
extension TagID {
    /// Creates the id of a tag: the first half of a SHA-256.
    ///
    /// A tag of a live channel with a valid checksum is identified by the channel and its owner identifier. The same
    /// bytes from another rendition, from the backup or in a rerun are the same tag. Damaged bytes may belong to two
    /// different tags, so their ids also include the media sequence and the time.
    package init(of occurrence: TagOccurrence) {
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
        self.init(hashing: fields, occurrence.tag.ownerIdentifier)
    }

    /// Creates the id of a record of any kind.
    package init(of record: StoredRecord) {
        switch record {
        case .tag(let occurrence): self.init(of: occurrence)
        case .player(let record): self.init(hashing: Self.fields(of: record), [])
        case .period(let period):
            let fields = [
                ChannelPeriod.kind, period.channel, period.monitor, period.state.name,
                String(period.time.lowerBound),
            ]
            self.init(hashing: fields, [])
        }
    }

    /// Returns the fields that identify a record of a player: its kind, and its number in the session of that kind.
    private static func fields(of record: PlayerRecord) -> [String] {
        let place = record.place
        return switch record.kind {
        case .app: ["app", place.appSession ?? ""]
        case .run: ["run", place.appSession ?? "", String(place.order)]
        case .asset: ["asset", place.id, String(place.order)]
        // The word of the records that an earlier version has stored.
        case .session: ["summary", place.id, String(place.order)]
        }
    }

    private init(hashing fields: [String], _ owner: [UInt8]) {
        var text: [UInt8] = []
        // A zero byte separates the fields. Only the owner identifier, which comes last, can contain one.
        for field in fields {
            text.append(contentsOf: field.utf8)
            text.append(0)
        }
        text.append(contentsOf: owner)
        let digest = Digest.sha256(text).span
        self.init(high: digest.bigEndianUInt64(at: 0), low: digest.bigEndianUInt64(at: 8))
    }
}
