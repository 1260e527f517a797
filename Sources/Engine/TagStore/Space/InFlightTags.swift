/// The tags that were handed out for delivery and are not acknowledged yet.
///
/// They are protected from eviction, expiry and pruning, so that no tag is counted as lost during its delivery.
struct InFlightTags: Sendable, Hashable {
    /// The range of their sequences; nil if no tags are in flight.
    private(set) var range: ClosedRange<Int64>?
    /// The number of tags in flight.
    private(set) var count = 0

    /// Prepares for a new batch: tags outside `kept` are no longer in flight.
    mutating func beginBatch(keeping kept: ClosedRange<Int64>?) {
        range = kept
        if kept == nil { count = 0 }
    }

    /// Adds a batch to the tags in flight.
    mutating func add(_ batch: [StoredTag]) {
        guard let first = batch.first?.sequence, let last = batch.last?.sequence else { return }
        range = min(first, range?.lowerBound ?? first)...max(last, range?.upperBound ?? last)
        count += batch.count
    }

    /// Subtracts acknowledged tags; 0 means that the whole batch came back undelivered.
    mutating func acknowledge(_ acknowledged: Int) {
        count = acknowledged == 0 ? 0 : max(0, count - acknowledged)
    }

    /// Returns the parts of a range of sequences that are not in flight.
    func others(in all: ClosedRange<Int64>) -> [ClosedRange<Int64>] {
        guard let range, range.overlaps(all) else { return [all] }
        var parts: [ClosedRange<Int64>] = []
        if all.lowerBound < range.lowerBound { parts.append(all.lowerBound...(range.lowerBound - 1)) }
        if range.upperBound < all.upperBound { parts.append((range.upperBound + 1)...all.upperBound) }
        return parts
    }
}
