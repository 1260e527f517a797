import TimedMedia

/// How many seconds of a presentation a rendition has been read for, and where its segments lie in them.
///
/// A playlist says how long its segments are. Without one their audio does, or their video: from its first time to its
/// last, and on to the first of the next segment where that follows at once. A jump of the times adds nothing.
struct PlaybackPosition {
    /// What the last access unit of a segment may last at most, in seconds; beyond that the times have jumped.
    private static let maximumStep = 1.0

    /// Seconds of the presentation so far.
    private(set) var seconds = 0.0
    private var last: MediaTimestamp?

    /// A segment's place, in seconds.
    struct Place {
        /// The seconds before its first media time.
        let position: Double
        /// Its own length; without a playlist, from its first time to its last.
        let duration: Double
        /// Without a playlist, how long the last access unit of the segment before it lasted, which shows only now.
        var lead = 0.0
    }

    /// Adds a segment; `facts` are nil where it was not read.
    mutating func add(_ segment: Presentation.Segment, facts: CarriageFacts?) -> Place {
        if segment.mediaSequence != nil {
            defer { seconds += segment.duration }
            return Place(position: seconds, duration: segment.duration)
        }
        guard let facts, let first = facts.earliestMediaTime, let end = facts.latestMediaTime else {
            return Place(position: seconds, duration: 0)
        }
        let wraps = facts.container.hasWrappingTime
        let step = last?.distance(to: first, wraps: wraps) ?? 0
        let lead = (0...Self.maximumStep).contains(step) ? step : 0
        seconds += lead
        last = end
        // A segment whose times run backwards has no length that could be told.
        let duration = max(0, first.distance(to: end, wraps: wraps))
        defer { seconds += duration }
        return Place(position: seconds, duration: duration, lead: lead)
    }
}

extension MediaTimestamp {
    /// Seconds from this time to another one of the same stream, negative where that is earlier.
    ///
    /// - Parameter wraps: whether both have the 33 bits of a PTS; then the shorter way round is meant.
    func distance(to other: MediaTimestamp, wraps: Bool) -> Double {
        guard wraps else { return other.seconds - seconds }
        var line = TimestampUnwrapper()
        let start = line.unwrap(pts: ticks)
        return Double(line.unwrap(pts: other.ticks) - start) / Double(MediaTimestamp.transportTimescale)
    }
}
