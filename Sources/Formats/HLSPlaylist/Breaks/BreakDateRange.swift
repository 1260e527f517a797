/// An advertisement break declared by EXT-X-DATERANGE with SCTE35-OUT (RFC 8216, 4.3.2.7.1).
struct BreakDateRange: Sendable, Hashable {
    /// The ID, which a later tag repeats to update the same range.
    let id: String

    /// Whether one of its tags has SCTE35-OUT.
    var isOut = false

    /// START-DATE in Unix milliseconds.
    var start: Int64?

    /// END-DATE in Unix milliseconds, or the date of SCTE35-IN.
    var end: Int64?

    /// DURATION in seconds.
    var duration: Double?

    /// PLANNED-DURATION in seconds.
    var plannedDuration: Double?

    /// Merges the attributes of another tag with the same ID.
    ///
    /// New values replace earlier ones, except for the start.
    mutating func merge(_ other: BreakDateRange) {
        isOut = isOut || other.isOut
        start = start ?? other.start
        end = other.end ?? end
        duration = other.duration ?? duration
        plannedDuration = other.plannedDuration ?? plannedDuration
    }

    /// The exclusive end in Unix milliseconds; nil while it is unknown.
    var endMilliseconds: Int64? {
        if let end { return end }
        // A break ends as planned unless a duration or SCTE35-IN overrides it.
        guard let start, let seconds = duration ?? plannedDuration else { return nil }
        return start + Int64((seconds * 1_000).rounded())
    }
}

/// The advertisement breaks among the date ranges of a playlist, in the order of their first tags.
struct BreakDateRanges: Sendable, Hashable {
    private(set) var ranges: [BreakDateRange] = []

    /// The index of each range, by its ID.
    private var indices: [String: Int] = [:]

    var count: Int { ranges.count }

    func contains(id: String) -> Bool { indices[id] != nil }

    /// Merges a tag into the range with its ID.
    mutating func merge(_ range: BreakDateRange) {
        if let index = indices[range.id] {
            ranges[index].merge(range)
        } else {
            indices[range.id] = ranges.count
            ranges.append(range)
        }
    }

    /// The maximum size of the IDs that are kept from load to load, in bytes.
    static let maximumIDByteCount = 1 << 18

    /// Merges the ranges of another load, then drops those that end before a date and the oldest above the limits.
    ///
    /// A range without an end is dropped if `maximumOpenMilliseconds` after its start is before the date. A range
    /// without a date, and every range while the segments have no dates, is dropped when it is no longer listed.
    mutating func merge(_ other: BreakDateRanges, endingAfter date: Int64?, maximumOpenMilliseconds: Int64) {
        for range in other.ranges { merge(range) }
        var kept = ranges.filter { range in
            let end = range.endMilliseconds ?? range.start.map { $0 + maximumOpenMilliseconds }
            guard let date, let end else { return other.contains(id: range.id) }
            return end >= date
        }
        var byteCount = 0
        kept = kept.suffix(PlaylistLimit.dateRanges.maximum).reversed().prefix { range in
            byteCount += range.id.utf8.count
            return byteCount <= Self.maximumIDByteCount
        }.reversed()
        guard kept.count < ranges.count else { return }
        ranges = kept
        indices = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1.id, $0) })
    }

    /// Marks the segments whose midpoint is in one of the ranges.
    ///
    /// The cost is a sort of the ranges and a binary search for each segment.
    func mark(_ segments: inout [MediaSegment]) {
        let breaks = mergedBreaks()
        guard !breaks.isEmpty else { return }
        for index in segments.indices {
            guard let middle = segments[index].middleMilliseconds else { continue }
            // Find the last break that starts at or before the midpoint.
            var low = 0
            var high = breaks.count
            while low < high {
                let center = (low + high) / 2
                if breaks[center].start <= middle { low = center + 1 } else { high = center }
            }
            if low > 0, middle < breaks[low - 1].end { segments[index].isInBreakDateRange = true }
        }
    }

    /// Returns the times of the breaks in order, with overlapping ones merged.
    private func mergedBreaks() -> [(start: Int64, end: Int64)] {
        var merged: [(start: Int64, end: Int64)] = []
        let times = ranges.compactMap { range in
            range.isOut ? range.start.map { (start: $0, end: range.endMilliseconds ?? .max) } : nil
        }
        for time in times.sorted(by: { $0.start < $1.start }) where time.end > time.start {
            if let last = merged.last, time.start <= last.end {
                merged[merged.count - 1].end = max(last.end, time.end)
            } else {
                merged.append(time)
            }
        }
        return merged
    }
}

extension MediaSegment {
    /// The date of the segment's midpoint in Unix milliseconds; nil if its date is unknown.
    fileprivate var middleMilliseconds: Int64? {
        programDateTimeMilliseconds.map { $0 + Int64((duration * 500).rounded()) }
    }
}
