import HLSPlaylist
package import ID3v2
import NielsenID3

/// The outcome of loading a live media playlist.
package enum PlaylistLoadOutcome: Sendable, Hashable {
    /// Loaded, with changed content.
    case changed(PlaylistEdge)
    /// Loaded, but unchanged, or answered with status 304.
    case unchanged
    /// Not loaded, or not a valid playlist.
    case failed(FetchFailure)
}

/// The end of a live media playlist.
package struct PlaylistEdge: Sendable, Hashable {
    /// The target duration in seconds; nil if unknown.
    package var targetDuration: Double?
    /// The date at which the last segment ends; nil without dates.
    package var endDate: WallTime?

    /// Creates a playlist end.
    package init(targetDuration: Double? = nil, endDate: WallTime? = nil) {
        self.targetDuration = targetDuration
        self.endDate = endDate
    }
}

/// The reason why a playlist or a segment could not be loaded.
package struct FetchFailure: Sendable, Hashable {
    /// The status of the HTTP response; nil without a response, or when the response is not the cause.
    package var httpStatus: Int?
    /// The cause as half a sentence, such as `timed out`, for failures without a status.
    package var reason: String

    /// Creates a failure.
    package init(httpStatus: Int? = nil, reason: String = "failed") {
        self.httpStatus = httpStatus
        self.reason = reason
    }

    /// The failure as half a sentence.
    var text: String { httpStatus.map { "was answered with HTTP status \($0)" } ?? "failed: \(reason)" }
}

/// The result of loading a segment.
package struct SegmentFetch: Sendable, Hashable {
    /// The segment's URI as written in its playlist.
    package var name: String?
    /// The segment's media sequence number.
    package var mediaSequence: UInt64?
    /// The segment's duration, in seconds.
    package var duration: Double
    /// The load time, in seconds.
    package var seconds: Double
    /// The cause of the failure; nil on success.
    package var failure: FetchFailure?
    /// The seconds from the first request to the one that succeeded; nil if the segment was not late.
    package var delay: Double?

    /// Creates a load result.
    package init(
        name: String?, mediaSequence: UInt64? = nil, duration: Double, seconds: Double,
        failure: FetchFailure? = nil
    ) {
        self.name = name
        self.mediaSequence = mediaSequence
        self.duration = duration
        self.seconds = seconds
        self.failure = failure
    }
}

extension PlaylistEvent {
    /// The segment of the event; nil for an event of the whole playlist.
    var mediaSequence: Int? {
        switch self {
        case .stale: nil
        case .sequenceGap(_, let found), .sequenceBack(_, let found): found
        case .discontinuitySequence(let mediaSequence, _, _), .segmentTooLong(let mediaSequence, _, _),
            .dateJump(let mediaSequence, _), .segmentReplaced(let mediaSequence, _, _):
            mediaSequence
        }
    }
}
