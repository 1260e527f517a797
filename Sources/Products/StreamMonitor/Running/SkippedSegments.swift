import HLSInput

/// The newest segments of a playlist that is followed but not read, in case they are needed later.
struct SkippedSegments {
    /// The new segments of a load, and their memory reservation.
    typealias Load = (segments: [LiveSegment], reservation: SegmentMemory.Reservation?)

    /// The maximum media time to hold, in seconds: enough to cover the detection of a failing primary.
    private static let longest = 60.0
    /// The maximum number of segments, because their stated durations may be 0.
    static let maximumCount = 1_000

    private var loads: [Load] = []

    /// Appends the new segments of a load, in time linear in the number of segments.
    mutating func append(_ new: [LiveSegment], reservedBy reservation: SegmentMemory.Reservation?) {
        if !new.isEmpty { loads.append((new, reservation)) }
        var length = loads.reduce(0) { $0 + $1.segments.reduce(0) { $0 + $1.duration } }
        var count = loads.reduce(0) { $0 + $1.segments.count }
        var dropped = 0
        for load in loads {
            for segment in load.segments where length > Self.longest || count > Self.maximumCount {
                length -= segment.duration
                count -= 1
                dropped += 1
            }
        }
        drop(dropped)
    }

    /// Removes the oldest segments; the reservation of a load stays until all of its segments are removed.
    private mutating func drop(_ count: Int) {
        guard count > 0 else { return }
        var rest = count
        while let first = loads.first, rest >= first.segments.count {
            rest -= first.segments.count
            loads.removeFirst()
        }
        guard !loads.isEmpty else { return }
        loads[0].segments.removeFirst(rest)
        loads[0].segments[0].isContinuation = false
    }

    /// Removes and returns the segments of each load, oldest first.
    mutating func take() -> [Load] {
        defer { loads = [] }
        return loads
    }
}
