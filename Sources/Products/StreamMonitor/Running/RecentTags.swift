import NielsenID3
import TagDelivery
import TagStore

/// The newest tags of a channel, used to recognize duplicates.
///
/// Duplicates come from other renditions or sources, from a packager that repeats a tag in the next segment, and from
/// segments that are read again after a restart. Two tags are duplicates if `TagIdentity` gives them the same id.
struct RecentTags: Sendable {
    /// Enough for over half an hour of tags, which a source can list again after an outage.
    private static let maximumCount = 256

    /// The first halves of the tag ids, oldest first.
    private var ids: [UInt64]

    /// The first halves of the ids of durable tags, oldest first.
    private var stored: [UInt64]

    /// Restores the tags that were stored before a restart.
    init(stored: [UInt64] = []) {
        ids = stored
        self.stored = stored
    }

    /// Remembers a tag; returns false if it is a duplicate.
    mutating func insert(_ tag: TagOccurrence) -> Bool {
        let id = TagIdentity.id(of: tag).high
        // Duplicates must not displace tags that are still listed.
        if ids.contains(id) { return false }
        if ids.count >= Self.maximumCount { ids.removeFirst() }
        ids.append(id)
        return true
    }

    /// Returns the data to store with these tags, which `insert` must have accepted.
    ///
    /// Leaves out tags that another append is still writing: if they are lost, they must not count as duplicates later.
    func bookmark(of channel: String, with tags: [TagOccurrence]) -> Bookmark.RecentTags {
        Bookmark.RecentTags(channel: channel, ids: stored + tags.map { TagIdentity.id(of: $0).high })
    }

    /// Marks these tags as durable.
    mutating func markStored(_ tags: [TagOccurrence]) {
        stored += tags.map { TagIdentity.id(of: $0).high }
        stored.removeFirst(max(0, stored.count - Bookmark.RecentTags.maximumCount))
    }
}
