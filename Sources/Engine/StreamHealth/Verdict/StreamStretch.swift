import TimedMedia

/// Tells where the clock of a rendition starts anew: at EXT-X-DISCONTINUITY, and where the PTS jumps.
///
/// A jump is where the media times of two segments lie apart by another time than the segments do.
struct StreamStretch: Sendable {
    /// How far the media may run from the playlist's durations, over one segment, without being a jump.
    private static let tolerance = 10.0

    /// Counts the stretches, from 0.
    private(set) var number = 0
    private var last: (media: MediaTimestamp, position: Double)?

    /// Takes a segment, and tells whether a new stretch begins with it.
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
