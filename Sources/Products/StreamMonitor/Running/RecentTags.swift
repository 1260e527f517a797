import NielsenID3
import TimedMedia

/// The tags that a channel brought last, by which copies are known: of another rendition or source, or of a packager
/// that puts a tag into two segments.
struct RecentTags: Sendable {
    /// How many tags are remembered: those of more than half an hour, which a source lists that comes back after an outage.
    private static let maximumCount = 256

    /// Copies in two renditions are this many seconds of media apart at most.
    private static let longestDistance = 30.0

    private struct Entry: Sendable {
        /// Of the owner identifier, which is some 300 bytes long.
        let hash: Int
        var rendition: Int32
        let ticks: UInt64?
        let position: Double
    }

    private var entries: [Entry] = []

    /// What is followed now counts its positions from another place than what was before: all of that was elsewhere.
    mutating func beginAnew() {
        for index in entries.indices { entries[index].rendition = Self.elsewhere }
    }

    private static let elsewhere: Int32 = -1

    /// Remembers a tag; false where it is a copy of one that was remembered before.
    mutating func insert(_ tag: TagOccurrence, rendition: Int) -> Bool {
        var hasher = Hasher()
        hasher.combine(tag.tag.ownerIdentifier)
        let hash = hasher.finalize()
        let isCopy = entries.contains { entry in
            guard entry.hash == hash else { return false }
            if entry.rendition == Self.elsewhere { return true }
            if entry.rendition == rendition { return entry.ticks == tag.time?.ticks }
            // The positions of two sources count from different places.
            if ChannelSource.isOfBackup(Int(entry.rendition)) != ChannelSource.isOfBackup(rendition) {
                return true
            }
            return (entry.position - tag.position).magnitude <= Self.longestDistance
        }
        // Copies would take the places of tags that are listed still.
        if isCopy { return false }
        if entries.count >= Self.maximumCount { entries.removeFirst() }
        entries.append(
            Entry(
                hash: hash, rendition: Int32(truncatingIfNeeded: rendition), ticks: tag.time?.ticks,
                position: tag.position))
        return true
    }
}
