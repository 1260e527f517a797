import HLSInput

/// The seconds of media that the segments of a rendition lack, compared with EXTINF, to find those that were still
/// being written when they were read.
///
/// Complete segments lack some, too: the duration of the last frame, and the rounding of EXTINF. So a segment counts as
/// incomplete if it lacks more than is normal for the stream.
struct SegmentShortfall: Sendable {
    /// The seconds that the last complete segments lacked.
    private var recent: [Double] = []
    private static let maximumCount = 8
    private static let minimumCount = 3
    /// The differences between complete segments, such as a frame, in seconds.
    private static let tolerance = 0.06

    /// The most seconds that a segment lacked although a second reading had no more bytes.
    private var confirmed = 0.0
    /// The number of second readings that had no more bytes.
    private var uselessRepeatCount = 0

    /// Returns whether a segment may have been read before it was complete.
    func isIncomplete(_ live: LiveSegmentReading, _ segment: LiveSegment) -> Bool {
        if uselessRepeatCount < 2, live.isTruncated { return true }
        let normal =
            recent.count < Self.minimumCount
            ? max(0.5, 0.1 * segment.duration) : (recent.min() ?? 0) + Self.tolerance
        return live.missingSeconds(of: segment) > max(normal, 1.2 * confirmed)
    }

    /// Records the second reading of a segment that seemed incomplete.
    mutating func observeRepeat(
        _ live: LiveSegmentReading, after earlier: LiveSegmentReading, of segment: LiveSegment
    ) {
        guard live.byteCount <= earlier.byteCount else { return }
        uselessRepeatCount += 1
        confirmed = max(confirmed, live.missingSeconds(of: segment))
    }

    /// Records a segment that is complete.
    mutating func observeComplete(_ live: LiveSegmentReading, of segment: LiveSegment) {
        let missing = live.missingSeconds(of: segment)
        recent.append(missing)
        recent.removeFirst(max(0, recent.count - Self.maximumCount))
        // One segment that stays short does not hide later ones that are read too early.
        confirmed = min(confirmed, max(missing, 0.98 * confirmed))
    }
}
