import TimedMedia

/// Detects where the clock of a rendition restarts: at EXT-X-DISCONTINUITY, and where the PTS jumps.
///
/// A jump is a difference between the distance of two segments in media time and their distance in the playlist.
struct StreamStretch: Sendable {
    /// The maximum deviation of media time from the playlist between two segments, in seconds.
    private static let tolerance = 10.0

    /// The number of the current stretch, counted from 0.
    private(set) var number = 0
    private var last: (media: MediaTimestamp, position: Double)?

    /// Records a segment and returns whether it starts a new stretch.
    mutating func begins(with segment: ObservedSegment) -> Bool {
        let media = segment.facts?.earliestMediaTime
        defer { if let media { last = (media, segment.position) } }
        guard let last else { return segment.isDiscontinuity && advance() }
        if segment.isDiscontinuity { return advance() }
        guard let media else { return false }
        let drift = MediaDistance.seconds(from: last.media, to: media) - (segment.position - last.position)
        return drift.magnitude > Self.tolerance && advance()
    }

    private mutating func advance() -> Bool {
        number += 1
        return true
    }
}
