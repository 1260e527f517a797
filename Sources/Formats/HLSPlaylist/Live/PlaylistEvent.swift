/// Something that the earlier loads of a live media playlist did not lead to expect (RFC 8216, 6.2.1, 6.2.2, 6.3.4).
package enum PlaylistEvent: Sendable, Hashable {
    /// It has not changed for longer than one and a half target durations; told once until it changes.
    case stale(unchangedFor: Duration, targetDuration: Duration)

    /// Segments were removed before a load listed them: the first that is listed is `found`, not `expected`.
    case sequenceGap(expected: Int, found: Int)

    /// The playlist is behind the load before, or starts again: the newest segment was `newest`, the first is now `found`.
    ///
    /// An older version from a cache is told too, and so is one that lacks the last segments alone.
    case sequenceBack(newest: Int, found: Int)

    /// A segment has another discontinuity sequence number than the loads before lead to; told once while the difference
    /// is the same.
    case discontinuitySequence(mediaSequence: Int, expected: Int, found: Int)

    /// A segment, rounded to whole seconds, is longer than the target duration (RFC 8216, 4.3.3.1).
    case segmentTooLong(mediaSequence: Int, seconds: Double, targetDuration: Int)

    /// The date of a segment is not where the one before it ends, and no discontinuity stands between.
    case dateJump(mediaSequence: Int, milliseconds: Int64)

    /// A segment that was listed before has another URI or byte range now.
    case segmentReplaced(mediaSequence: Int, from: String, to: String)
}
