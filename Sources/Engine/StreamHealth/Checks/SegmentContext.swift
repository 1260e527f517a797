import ID3v2

/// The span of a segment on its own timeline.
struct SegmentContext {
    let name: String?
    let mediaSequence: UInt64?
    /// Whether the segment begins after a discontinuity or a PTS jump.
    let beginsAnew: Bool
    private let earliest: MediaTimestamp?
    private let latest: MediaTimestamp?
    private let duration: Double

    init(_ segment: ObservedSegment, beginsAnew: Bool) {
        name = segment.name
        mediaSequence = segment.mediaSequence
        self.beginsAnew = beginsAnew
        earliest = segment.facts?.earliestMediaTime
        latest = segment.facts?.latestMediaTime
        duration = segment.duration.isFinite ? max(0, segment.duration) : 0
    }

    /// Returns how many seconds a time is outside the segment: negative before it, 0 inside it.
    ///
    /// Returns nil if the segment has no span.
    func distance(of time: MediaTimestamp) -> Double? {
        guard let earliest else { return nil }
        let start = earliest.distance(to: time)
        guard start >= 0 else { return start }
        // `latest` is the start of the last access unit or fragment, so the segment extends beyond it.
        let end = max(latest.map { earliest.distance(to: $0) } ?? 0, duration)
        return max(0, start - end)
    }

    /// Whether a time belongs to the timeline before the segment's discontinuity or PTS jump.
    func isOfAnEarlierLine(_ time: MediaTimestamp) -> Bool {
        guard beginsAnew, let outside = distance(of: time) else { return false }
        return outside.magnitude > 1
    }
}

extension MediaTimestamp {
    /// Returns the seconds to another time of the stream, negative if that is earlier.
    ///
    /// For a PTS, which wraps at 33 bits, it is the shorter distance.
    func distance(to other: MediaTimestamp) -> Double {
        guard isTransport, other.isTransport, ticks < Self.transportPeriod, other.ticks < Self.transportPeriod
        else { return other.seconds - seconds }
        let period = Self.transportPeriod
        let ahead = (other.ticks &- ticks) & (period - 1)
        let distance = ahead < period / 2 ? Double(ahead) : -Double(period - ahead)
        return distance / Double(Self.transportTimescale)
    }
}
