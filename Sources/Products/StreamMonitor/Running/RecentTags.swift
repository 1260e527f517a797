import NielsenID3
import TagDelivery
import TagStore

/// The newest tags of a channel, by which copies are recognized: those of another rendition or source, those that a packager
/// puts into two segments, and those that a playlist lists again after a restart.
///
/// Two tags are copies where `TagIdentity` gives them the same id.
struct RecentTags: Sendable {
    /// The tags of more than half an hour, which a source lists that comes back after an outage.
    private static let maximumCount = 256

    /// The first halves of the ids, oldest first.
    private var ids: [UInt64]

    /// Those of tags that are durable, oldest first.
    private var stored: [UInt64]

    /// The tags of a channel, of which some were stored before a restart.
    init(stored: [UInt64] = []) {
        ids = stored
        self.stored = stored
    }

    /// Remembers a tag; false where it is a copy.
    mutating func insert(_ tag: TagOccurrence) -> Bool {
        let id = TagIdentity.id(of: tag).high
        // Copies must not take the places of tags that are still listed.
        if ids.contains(id) { return false }
        if ids.count >= Self.maximumCount { ids.removeFirst() }
        ids.append(id)
        return true
    }

    /// What is to be stored with these tags, of which `insert` was true.
    ///
    /// Tags that another append is still writing are left out: if they are lost, they must not be taken for copies.
    func bookmark(of channel: String, with tags: [TagOccurrence]) -> Bookmark.RecentTags {
        Bookmark.RecentTags(channel: channel, ids: stored + tags.map { TagIdentity.id(of: $0).high })
    }

    /// Notes that these tags are durable.
    mutating func markStored(_ tags: [TagOccurrence]) {
        stored += tags.map { TagIdentity.id(of: $0).high }
        stored.removeFirst(max(0, stored.count - Bookmark.RecentTags.maximumCount))
    }
}
