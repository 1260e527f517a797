/// The tags that were handed out to be delivered and are not acknowledged yet: spared from eviction, expiry and
/// pruning, so that no tag is counted as lost while it is being delivered.
struct InFlightTags: Sendable, Hashable {
    /// The sequences that they lie in; nil for none.
    private(set) var range: ClosedRange<Int64>?
    /// How many they are.
    private(set) var count = 0

    /// A batch is about to be read; what was in flight no longer is, but for `kept`.
    mutating func beginBatch(keeping kept: ClosedRange<Int64>?) {
        range = kept
        if kept == nil { count = 0 }
    }

    /// A batch was read, besides what is in flight already.
    mutating func add(_ batch: [StoredTag]) {
        guard let first = batch.first?.sequence, let last = batch.last?.sequence else { return }
        range = min(first, range?.lowerBound ?? first)...max(last, range?.upperBound ?? last)
        count += batch.count
    }

    /// So many were acknowledged; none means that the batch has come back as it went.
    mutating func acknowledge(_ acknowledged: Int) {
        count = acknowledged == 0 ? 0 : max(0, count - acknowledged)
    }

    /// The parts of a range of sequences that are not in flight.
    func others(in all: ClosedRange<Int64>) -> [ClosedRange<Int64>] {
        guard let range, range.overlaps(all) else { return [all] }
        var parts: [ClosedRange<Int64>] = []
        if all.lowerBound < range.lowerBound { parts.append(all.lowerBound...(range.lowerBound - 1)) }
        if range.upperBound < all.upperBound { parts.append((range.upperBound + 1)...all.upperBound) }
        return parts
    }
}
