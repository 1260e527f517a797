import NielsenID3
import StreamHealth
import Synchronization
import TagDelivery
import TagStore

/// The tags of a channel in the buffer: recognizes duplicates, and stores tags with the positions of their readers.
final class ChannelTags: Sendable {
    /// The owner of the channel's tags in the buffer.
    let owner: TagOwner

    private let context: ChannelContext
    private let ingest: TagIngest
    /// The newest tags; nil until the ones from before a restart are loaded.
    private let recent = Mutex<RecentTags?>(nil)

    private var buffer: TagBuffer { context.services.buffer }

    init(_ context: ChannelContext) {
        self.context = context
        let buffer = context.services.buffer
        owner = TagOwner(channel: context.settings.id)
        ingest = TagIngest(into: .own(buffer), of: owner)
        buffer.setEqualShares(context.settings.policy[.channelBuffer], of: owner)
    }

    /// Loads the tags that were stored before a restart, unless an earlier call has done so.
    func loadRecentTags() async {
        guard recent.withLock({ $0 == nil }) else { return }
        var loaded = RecentTags()
        do throws(StoreError) {
            loaded = RecentTags(stored: try await buffer.recentTags(of: context.settings.id))
        } catch {
            context.note("the tags from before the restart cannot be loaded: \(error)")
        }
        recent.withLock { [loaded] in $0 = loaded }
    }

    /// Remembers tags and returns those that are not duplicates.
    func insert(_ tags: [TagOccurrence]) -> [TagOccurrence] {
        recent.withLock { recent in tags.filter { recent?.insert($0) ?? true } }
    }

    /// Stores tags that `insert` returned, with the media sequence number up to which `reader` has read.
    func store(_ tags: [TagOccurrence], reader: String, position: Int) async {
        guard !tags.isEmpty else { return }
        let recentTags = recent.withLock { $0?.stored(with: tags) }
        do throws(StoreError) {
            let outcome = try await ingest.append(
                tags,
                bookmark: Bookmark(
                    channel: context.settings.id, reader: reader, position: Int64(position),
                    recentTags: recentTags))
            context.services.bufferHealth.observe(outcome)
            if outcome.acceptedCount == tags.count { recent.withLock { $0?.markStored(tags) } }
        } catch {
            context.services.bufferHealth.observe(error)
        }
    }

    /// Returns the media sequence number up to which `reader` has read; nil if it is unknown.
    func position(of reader: String) async -> Int? {
        do throws(StoreError) {
            return try await buffer.bookmark(of: reader, in: context.settings.id)
                .flatMap { Int(exactly: $0) }
        } catch {
            context.note("the last position is unknown: \(error)")
            return nil
        }
    }
}

/// The newest tags of a channel, used to recognize duplicates.
///
/// Duplicates come from other renditions or sources, from a packager that repeats a tag in the next segment, and from
/// segments that are read again after a restart. Two tags are duplicates if they have the same `TagID`.
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
        Bookmark.RecentTag(TagID(of: tag))
    }
}
