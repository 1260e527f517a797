import NielsenID3

/// The tags of the last minute, to tell a repeat from another tag.
///
/// Packagers put one tag into two neighbouring segments. Such a repeat is reported once and checked no further.
struct RepeatHistory: Sendable {
    /// How many tags are remembered: a minute of a valid stream has six.
    private static let capacity = 64

    private var entries: [Entry] = []
    private var oldest = 0

    private struct Entry: Sendable {
        let hash: Int
        var position: Double
        /// The time on the stream's clock; nil where there is none.
        var seconds: Double?
        /// The stretch of the stream, between jumps, in which that clock holds.
        var stretch: Int
    }

    /// How many seconds ago the same bytes came, up to `age`; nil where they did not.
    ///
    /// Of a repeat the later place is remembered, so that a chain of them stays one.
    mutating func age(of tag: TagOccurrence, stretch: Int, upTo age: Double) -> Double? {
        var hasher = Hasher()
        hasher.combine(tag.tag.ownerIdentifier)
        hasher.combine(tag.tag.hasValidHeader)
        hasher.combine(tag.tag.hasValidTail)
        hasher.combine(tag.tag.malformation)
        hasher.combine(tag.tag.deviations)
        hasher.combine(tag.isTruncated)
        let new = Entry(
            hash: hasher.finalize(), position: tag.position, seconds: tag.seconds, stretch: stretch)
        guard let index = entries.firstIndex(where: { $0.hash == new.hash }) else {
            remember(new)
            return nil
        }
        let old = entries[index]
        entries[index] = new
        var distance = (new.position - old.position).magnitude
        if old.stretch == stretch, let before = old.seconds, let now = new.seconds {
            distance = (now - before).magnitude
        }
        return distance <= age ? distance : nil
    }

    private mutating func remember(_ entry: Entry) {
        guard entries.count >= Self.capacity else {
            entries.append(entry)
            return
        }
        entries[oldest] = entry
        oldest = (oldest + 1) % Self.capacity
    }
}
