import NielsenID3

/// Merges the copies of a tag in several renditions of a presentation.
///
/// Renditions are read in parallel, one media segment at a time. A tag waits until every other rendition has been read
/// `window` seconds past its position. A copy found meanwhile adds its rendition to the tag. Duplicates within one
/// rendition are not merged. Positions are playlist seconds (sums of segment durations), which all renditions share
/// even if their timestamps differ.
struct RenditionMerger {
    /// The maximum distance between the segments of two copies, in seconds.
    static let window = 30.0

    private struct Waiting {
        var record: TagOccurrence
        let position: Double
        var carriers: [Int]
    }

    private let maximumWaitingCount: Int
    private var waiting: [Waiting] = []
    private var positions: [Double]

    /// Creates a merger for `renditionCount` renditions.
    ///
    /// - Parameter maximumWaitingCount: The maximum number of waiting tags, which bounds the memory if all segment
    ///   durations in a playlist are zero.
    init(renditionCount: Int, maximumWaitingCount: Int = 10_000) {
        self.maximumWaitingCount = maximumWaitingCount
        positions = Array(repeating: 0, count: renditionCount)
    }

    /// Adds a tag from a rendition, in a segment that begins at `position`.
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

    /// Records that a rendition has been read up to `position`, or to its end if it is infinity.
    mutating func advance(rendition: Int, to position: Double) {
        positions[rendition] = max(positions[rendition], position)
    }

    /// Returns and removes the tags to which no further copy can be added, in arrival order.
    mutating func release() -> [TagOccurrence] {
        let settled = waiting.firstIndex { !isSettled($0) } ?? waiting.endIndex
        let keep = max(settled, waiting.count - maximumWaitingCount)
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
