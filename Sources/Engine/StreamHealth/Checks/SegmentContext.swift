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
        let start = MediaDistance.seconds(from: earliest, to: time)
        guard start >= 0 else { return start }
        // `latest` is the start of the last access unit or fragment, so the segment extends beyond it.
        let end = max(latest.map { MediaDistance.seconds(from: earliest, to: $0) } ?? 0, duration)
        return max(0, start - end)
    }

    /// Whether a time belongs to the timeline before the segment's discontinuity or PTS jump.
    func isOfAnEarlierLine(_ time: MediaTimestamp) -> Bool {
        guard beginsAnew, let outside = distance(of: time) else { return false }
        return outside.magnitude > 1
    }
}

/// The distance between two times of one stream.
enum MediaDistance {
    /// Returns the seconds from one time to another, negative if the second is earlier.
    ///
    /// For a PTS, which wraps at 33 bits, it is the shorter distance.
    static func seconds(from start: MediaTimestamp, to end: MediaTimestamp) -> Double {
        guard start.isTransport, end.isTransport, start.ticks < MediaTimestamp.transportPeriod,
            end.ticks < MediaTimestamp.transportPeriod
        else { return end.seconds - start.seconds }
        let period = MediaTimestamp.transportPeriod
        let ahead = (end.ticks &- start.ticks) & (period - 1)
        let distance = ahead < period / 2 ? Double(ahead) : -Double(period - ahead)
        return distance / Double(MediaTimestamp.transportTimescale)
    }
}
