import NielsenID3

/// Makes one tag of its copies in several renditions of a presentation.
///
/// Renditions are read side by side, a media segment at a time. A tag waits until every other rendition has been
/// read past its place by `window` seconds; a copy that turns up meanwhile adds its rendition to the tag. Within
/// one rendition a tag that comes twice stays two. Positions are seconds of the playlists (sums of segment
/// durations), which all renditions share even where their timestamps do not.
struct RenditionMerger {
    /// How far apart, in seconds, the segments of two copies may begin.
    static let window = 30.0

    /// At most so many tags wait; a playlist that says all its segments last no time must not fill the memory.
    static let maximumWaitingCount = 10_000

    private struct Waiting {
        var record: TagOccurrence
        let position: Double
        var carriers: [Int]
    }

    private var waiting: [Waiting] = []
    private var positions: [Double]

    /// A merger of so many renditions, the first of which goes before the others.
    init(renditionCount: Int) {
        positions = Array(repeating: 0, count: renditionCount)
    }

    /// Takes a tag that was read from a rendition, in a segment that begins at `position`.
    mutating func add(_ record: TagOccurrence, rendition: Int, position: Double) {
        let copy = waiting.firstIndex { candidate in
            candidate.record.tag.ownerIdentifier == record.tag.ownerIdentifier
                && candidate.record.isTruncated == record.isTruncated
                && !candidate.carriers.contains(rendition)
                && abs(candidate.position - position) <= Self.window
        }
        guard let copy else {
            waiting.append(Waiting(record: record, position: position, carriers: [rendition]))
            return
        }
        waiting[copy].carriers.append(rendition)
        waiting[copy].record.origin.place.renditions += record.origin.place.renditions
    }

    /// Says that a rendition has been read up to `position`; infinity where it has ended.
    mutating func advance(rendition: Int, to position: Double) {
        positions[rendition] = max(positions[rendition], position)
    }

    /// The tags that no further copy can join, in the order in which they came.
    mutating func release() -> [TagOccurrence] {
        let settled = waiting.firstIndex { !isSettled($0) } ?? waiting.endIndex
        let keep = max(settled, waiting.count - Self.maximumWaitingCount)
        let released = waiting[..<keep].map(\.record)
        waiting.removeFirst(keep)
        return released
    }

    private func isSettled(_ entry: Waiting) -> Bool {
        positions.indices.allSatisfy { rendition in
            entry.carriers.contains(rendition) || positions[rendition] > entry.position + Self.window
        }
    }
}
