/// The result of loading a live media playlist.
package enum PlaylistLoad: Sendable {
    /// A playlist was loaded.
    case playlist(MediaPlaylist)

    /// The server reports that the playlist has not changed since the previous load.
    case unchanged

    /// The load failed, or the response is not a valid playlist.
    case failed

    /// Whether a playlist was loaded.
    var isPlaylist: Bool { if case .playlist = self { true } else { false } }
}

/// The new information from a load of a live media playlist.
package struct PlaylistUpdate: Sendable {
    /// The new segments in order; their media sequence numbers increase by one.
    package internal(set) var newSegments: [MediaSegment] = []

    /// Whether the first new segment directly continues the last segment returned before.
    package internal(set) var isContinuation = true

    /// Whether the stream restarted, so that the new segments do not continue the earlier ones, whatever their numbers.
    package internal(set) var isReset = false

    /// The media sequence numbers that the playlist lists; nil if the load does not tell, as after a failure, an
    /// unchanged version, or an older version from a cache.
    package internal(set) var listed: ClosedRange<Int>?

    /// The awaited segments that the playlist still lists, with their current addresses.
    package internal(set) var awaited: [MediaSegment] = []

    /// The distance that was added to the numbers of the segments from earlier loads.
    package internal(set) var renumberedBy = 0

    /// The inconsistencies with earlier loads, at most `maximumEventCount`.
    package internal(set) var events: [PlaylistEvent] = []

    /// The delay from the start of this load to the start of the next.
    package internal(set) var reloadDelay: Duration

    /// Whether the last loaded playlist is complete, so that it lists new segments only if the stream is restarted.
    package internal(set) var isEnded = false

    /// The maximum number of events in an update, which bounds the memory that a hostile playlist can use.
    package static let maximumEventCount = 64

    init(reloadDelay: Duration) { self.reloadDelay = reloadDelay }

    /// Returns the new segments and removes them from the update.
    package mutating func takeNewSegments() -> [MediaSegment] {
        defer { newSegments = [] }
        return newSegments
    }

    /// Transforms the URIs of segments in the events.
    package mutating func mapURIs(_ transform: (String) -> String) {
        for case (let index, .segmentReplaced(let number, let from, let to)) in events.enumerated() {
            events[index] = .segmentReplaced(
                mediaSequence: number, from: transform(from), to: transform(to))
        }
    }

    /// Appends an event unless the maximum is reached.
    mutating func report(_ event: PlaylistEvent) {
        if events.count < Self.maximumEventCount { events.append(event) }
    }
}

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
