import NielsenID3

/// Counts each tag once, even if several renditions carry it.
///
/// A tag that one rendition repeats counts as often as in the rendition that carries it most. A bounded number of tags
/// is remembered, so read the renditions side by side, one segment at a time.
struct TagCensus: Sendable {
    private static let capacity = 8_192

    private let sourceCount: Int
    /// The number of occurrences of a tag in each source, by the hash of its bytes.
    private var counts: [Int: [Int]] = [:]
    /// The hashes in order of arrival, as a ring buffer.
    private var order: [Int] = []
    private var oldest = 0

    init(sourceCount: Int) { self.sourceCount = sourceCount }

    /// Counts a tag and returns whether it occurs more often in its source than in any source before.
    mutating func isNew(_ tag: TagOccurrence, source: Int) -> Bool {
        guard sourceCount > 1 else { return true }
        var hasher = Hasher()
        hasher.combine(tag.tag.ownerIdentifier)
        hasher.combine(tag.isTruncated)
        let key = hasher.finalize()
        guard var known = counts[key] else {
            remember(key)
            var first = [Int](repeating: 0, count: sourceCount)
            first[source] = 1
            counts[key] = first
            return true
        }
        let most = known.max() ?? 0
        known[source] += 1
        counts[key] = known
        return known[source] > most
    }

    private mutating func remember(_ key: Int) {
        guard order.count >= Self.capacity else {
            order.append(key)
            return
        }
        counts[order[oldest]] = nil
        order[oldest] = key
        oldest = (oldest + 1) % Self.capacity
    }
}
