import NielsenID3

/// The tags of the last minute, used to detect repeats.
///
/// Packagers put one tag into two adjacent segments. Such a repeat is reported once and not checked further.
struct RepeatHistory: Sendable {
    /// The maximum number of tags remembered: a minute of a valid stream has six.
    private static let capacity = 64

    private var entries: [Entry] = []
    private var oldest = 0

    private struct Entry: Sendable {
        let hash: Int
        var position: Double
        /// The time on the stream's clock; nil without one.
        var seconds: Double?
        /// The stretch of the stream, between clock jumps, in which `seconds` is comparable.
        var stretch: Int
        /// The number of the segment in which the tag was read.
        var segment: Int
    }

    /// The distance of a tag from its last occurrence.
    struct Age {
        /// The distance in seconds.
        let seconds: Double
        /// Whether the clock restarted in between and has the same time again, as it has where content repeats.
        let isSameTimeAgain: Bool
        /// Whether both are in one segment.
        let isInSameSegment: Bool
    }

    /// The maximum distance of a tag that has the same time, in seconds.
    private static let tolerance = 0.5

    /// Records a tag and returns its distance from the last occurrence of its bytes, or nil if that exceeds `age` or
    /// never happened.
    ///
    /// The later place of a repeat is kept, so that a chain of repeats is one repeat.
    mutating func age(of tag: TagOccurrence, stretch: Int, segment: Int, upTo age: Double) -> Age? {
        var hasher = Hasher()
        hasher.combine(tag.tag.ownerIdentifier)
        hasher.combine(tag.tag.hasValidHeader)
        hasher.combine(tag.tag.hasValidTail)
        hasher.combine(tag.tag.malformation)
        hasher.combine(tag.tag.deviations)
        hasher.combine(tag.isTruncated)
        let new = Entry(
            hash: hasher.finalize(), position: tag.position, seconds: tag.seconds, stretch: stretch,
            segment: segment)
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
        guard distance <= age else { return nil }
        let step = old.seconds.flatMap { before in new.seconds.map { ($0 - before).magnitude } }
        return Age(
            seconds: distance,
            isSameTimeAgain: old.stretch != stretch && (step ?? .infinity) < Self.tolerance,
            isInSameSegment: old.segment == segment)
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
