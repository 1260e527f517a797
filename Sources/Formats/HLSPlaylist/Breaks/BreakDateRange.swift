/// An advertisement break as EXT-X-DATERANGE with SCTE35-OUT marks it (RFC 8216, 4.3.2.7.1).
struct BreakDateRange: Sendable, Hashable {
    /// The ID, by which a later tag says more of the same range.
    let id: String

    /// Whether one of its tags has SCTE35-OUT.
    var isOut = false

    /// START-DATE in Unix milliseconds.
    var start: Int64?

    /// END-DATE in Unix milliseconds, or the date at which SCTE35-IN stands.
    var end: Int64?

    /// DURATION in seconds.
    var duration: Double?

    /// PLANNED-DURATION in seconds.
    var plannedDuration: Double?

    /// How many ranges are kept: breaks come one after the other.
    static let maximumCount = 16

    /// Adds what another tag of the same ID says; what it says of a thing takes the place of what was said before.
    mutating func merge(_ other: BreakDateRange) {
        isOut = isOut || other.isOut
        start = start ?? other.start
        end = other.end ?? end
        duration = other.duration ?? duration
        plannedDuration = other.plannedDuration ?? plannedDuration
    }

    /// The first millisecond after it; nil where nobody knows it yet.
    var endMilliseconds: Int64? {
        if let end { return end }
        // Without a length, a planned one: breaks end as they were planned unless SCTE35-IN says otherwise.
        guard let start, let seconds = duration ?? plannedDuration else { return nil }
        guard let milliseconds = Int64(exactly: (seconds * 1_000).rounded()) else { return nil }
        let (sum, overflow) = start.addingReportingOverflow(milliseconds)
        return overflow ? nil : sum
    }

    /// Whether the middle of a segment is in it.
    func contains(_ segment: MediaSegment) -> Bool {
        guard isOut, let start, let date = segment.programDateTimeMilliseconds,
            let half = Int64(exactly: (segment.duration * 500).rounded())
        else { return false }
        let (middle, overflow) = date.addingReportingOverflow(half)
        guard !overflow, middle >= start else { return false }
        return endMilliseconds.map { middle < $0 } ?? true
    }
}

extension [BreakDateRange] {
    /// Adds what a tag says to the range of its ID; the oldest range makes room for a new one.
    mutating func merge(_ range: BreakDateRange) {
        if let index = firstIndex(where: { $0.id == range.id }) {
            self[index].merge(range)
        } else {
            if count >= BreakDateRange.maximumCount { removeFirst() }
            append(range)
        }
    }

    /// Says of each segment whether it is in one of the ranges.
    func mark(_ segments: inout [MediaSegment]) {
        guard !isEmpty else { return }
        for index in segments.indices where contains(where: { $0.contains(segments[index]) }) {
            segments[index].isInBreakDateRange = true
        }
    }
}
