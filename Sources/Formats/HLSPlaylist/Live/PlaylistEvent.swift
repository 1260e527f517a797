/// An inconsistency between a load of a live media playlist and the earlier ones (RFC 8216, 6.2.1, 6.2.2, 6.3.4).
package enum PlaylistEvent: Sendable, Hashable {
    /// The playlist is unchanged for more than one and a half target durations; reported once until it changes.
    case stale(unchangedFor: Duration, targetDuration: Duration)

    /// Segments were removed before any load listed them: the first listed segment is `found` instead of `expected`.
    case sequenceGap(expected: Int, found: Int)

    /// The playlist moved backward or restarted: the newest segment was `newest`, and the first one is now `found`.
    ///
    /// Stale versions from a cache are also reported, and so are versions that lack only the last segments.
    case sequenceBack(newest: Int, found: Int)

    /// The discontinuity sequence number of a segment contradicts earlier loads.
    ///
    /// It is reported once while the difference stays the same.
    case discontinuitySequence(mediaSequence: Int, expected: Int, found: Int)

    /// The duration of a segment, rounded to whole seconds, exceeds the target duration (RFC 8216, 4.3.3.1).
    case segmentTooLong(mediaSequence: Int, seconds: Double, targetDuration: Int)

    /// The date of a segment differs from the end of the previous one without a discontinuity.
    case dateJump(mediaSequence: Int, milliseconds: Int64)

    /// A segment that was listed before has a different URI or byte range.
    case segmentReplaced(mediaSequence: Int, from: String, to: String)
}
