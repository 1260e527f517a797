import NielsenID3
import TimedMedia

/// The tags that a channel brought last, by which copies are known: of another rendition or source, or of a packager
/// that puts a tag into two segments.
struct RecentTags: Sendable {
    /// How many tags are remembered: some minutes of several renditions.
    private static let maximumCount = 64

    /// Copies in two renditions are this many seconds of media apart at most.
    private static let longestDistance = 30.0

    private struct Entry: Sendable {
        let ownerIdentifier: [UInt8]
        let rendition: Int
        let ticks: UInt64?
        let position: Double
    }

    private var entries: [Entry] = []

    /// Remembers a tag; false where it is a copy of one that was remembered before.
    mutating func insert(_ tag: TagOccurrence, rendition: Int) -> Bool {
        let isCopy = entries.contains { entry in
            guard entry.ownerIdentifier == tag.tag.ownerIdentifier else { return false }
            if entry.rendition == rendition { return entry.ticks == tag.time?.ticks }
            // The positions of two sources count from different places.
            if ChannelSource.isOfBackup(entry.rendition) != ChannelSource.isOfBackup(rendition) {
                return true
            }
            return (entry.position - tag.position).magnitude <= Self.longestDistance
        }
        if entries.count >= Self.maximumCount { entries.removeFirst() }
        entries.append(
            Entry(
                ownerIdentifier: tag.tag.ownerIdentifier, rendition: rendition, ticks: tag.time?.ticks,
                position: tag.position))
        return !isCopy
    }
}
