import ID3v2
import NielsenID3
import TagDelivery
import TagRecord

/// A tag of a session, with its place in the playback.
struct SessionTag: Sendable, Hashable {
    /// The tag.
    let tag: NielsenTag
    /// The place, marked as presented once the playhead has reached it.
    private(set) var place: SessionPlace

    init(_ tag: NielsenTag, at place: SessionPlace) {
        self.tag = tag
        self.place = place
    }

    /// The playhead at which the tag is presented.
    var mediaTime: Double { place.mediaTime ?? 0 }

    /// The tag, marked as presented.
    var presented: SessionTag {
        var tag = self
        tag.place.isPresented = true
        return tag
    }

    /// Creates the occurrence of the tag, with its problems.
    fileprivate var occurrence: TagOccurrence {
        Self.policy.checked(
            TagOccurrence(
                tag: tag, origin: .session(place, TagPlace(source: "")), time: nil, seconds: nil,
                carriage: .player))
    }

    private static let policy = TagPolicy()
}

/// A record of a session, indirect for the reason that `StoredRecord` gives.
indirect enum SessionRecord: QueuedRecord, Hashable {
    /// A tag.
    case tag(SessionTag)
    /// A record of the app, of an asset, or of the playback of an asset.
    case player(PlayerRecord)

    var byteCount: Int {
        switch self {
        case .tag(let tag): tag.tag.ownerIdentifier.count + 512
        case .player(let record): record.content.count + 512
        }
    }

    var isTag: Bool {
        if case .tag = self { true } else { false }
    }

    /// Whether the record has the mark of a user who has opted out.
    var isOptedOut: Bool {
        switch self {
        case .tag(let tag): tag.place.optedOutStore != nil
        case .player(let record): record.place.optedOutStore != nil
        }
    }

    /// The record for the buffer.
    ///
    /// Created when it is written and not in the call, which checking a tag would make slower.
    var stored: StoredRecord {
        switch self {
        case .tag(let tag): .tag(tag.occurrence)
        case .player(let record): .player(record)
        }
    }
}
