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

    /// The tags, oldest first.
    private var tags: [Bookmark.RecentTag]

    /// The durable tags, oldest first.
    private var stored: [Bookmark.RecentTag]

    /// Restores the tags that were stored before a restart.
    init(stored: [Bookmark.RecentTag] = []) {
        tags = stored
        self.stored = stored
    }

    /// Remembers a tag; returns false if it is a duplicate.
    mutating func insert(_ tag: TagOccurrence) -> Bool {
        let entry = Self.entry(of: tag)
        // Duplicates must not displace tags that are still listed.
        if tags.contains(entry) { return false }
        if tags.count >= Self.maximumCount { tags.removeFirst() }
        tags.append(entry)
        return true
    }

    /// Returns the durable tags with these, which are stored now and which `insert` must have accepted.
    ///
    /// Leaves out tags that another append is still writing: if they are lost, they must not count as duplicates later.
    func stored(with tags: [TagOccurrence]) -> [Bookmark.RecentTag] { stored + tags.map(Self.entry(of:)) }

    /// Marks these tags as durable.
    mutating func markStored(_ tags: [TagOccurrence]) {
        stored += tags.map(Self.entry(of:))
        stored.removeFirst(max(0, stored.count - Bookmark.maximumTagCount))
    }

    private static func entry(of tag: TagOccurrence) -> Bookmark.RecentTag {
        Bookmark.RecentTag(TagIdentity.id(of: tag))
    }
}
