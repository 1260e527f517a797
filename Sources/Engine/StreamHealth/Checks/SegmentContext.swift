import TimedMedia

/// The span of a segment on its own timeline.
struct SegmentContext {
    let name: String?
    let mediaSequence: UInt64?
    /// Whether a discontinuity or a jump of the PTS lies before it.
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

    /// How many seconds a time lies outside the segment: before it negative, inside it 0; nil where the segment has
    /// no span.
    func distance(of time: MediaTimestamp) -> Double? {
        guard let earliest else { return nil }
        let start = MediaDistance.seconds(from: earliest, to: time)
        guard start >= 0 else { return start }
        // The last access unit or fragment begins at `latest`, and the segment goes on from there.
        let end = max(latest.map { MediaDistance.seconds(from: earliest, to: $0) } ?? 0, duration)
        return max(0, start - end)
    }

    /// Whether a time is one of the line before a discontinuity or jump that the segment begins with.
    func isOfAnEarlierLine(_ time: MediaTimestamp) -> Bool {
        guard beginsAnew, let outside = distance(of: time) else { return false }
        return outside.magnitude > 1
    }
}

/// The distance between two times of one stream.
enum MediaDistance {
    /// Seconds from one time to another, negative backwards; of PTS the shorter way round their 33 bits.
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
