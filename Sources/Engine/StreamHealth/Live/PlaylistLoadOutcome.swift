/// How a load of a live media playlist ended.
package enum PlaylistLoadOutcome: Sendable, Hashable {
    /// It was loaded, and is not as it was.
    case changed(PlaylistEdge)
    /// It was loaded, and is as it was, or status 304 says so.
    case unchanged
    /// It was not loaded, or is no playlist.
    case failed(FetchFailure)
}

/// Where a live media playlist ends.
package struct PlaylistEdge: Sendable, Hashable {
    /// The target duration in seconds; nil where it is not known.
    package var targetDuration: Double?
    /// The date at which its last segment ends, in Unix seconds; nil without dates.
    package var endDate: Double?

    /// The end of a playlist.
    package init(targetDuration: Double? = nil, endDate: Double? = nil) {
        self.targetDuration = targetDuration
        self.endDate = endDate
    }
}

/// Why a playlist or a segment could not be loaded.
package struct FetchFailure: Sendable, Hashable {
    /// The status of the answer; nil where there was none, or where the answer is not to blame.
    package var httpStatus: Int?
    /// What was wrong where no status says it, as half a sentence: `timed out`.
    package var reason: String

    /// A failure.
    package init(httpStatus: Int? = nil, reason: String = "failed") {
        self.httpStatus = httpStatus
        self.reason = reason
    }

    /// What was wrong, as half a sentence.
    var text: String { httpStatus.map { "was answered with HTTP status \($0)" } ?? "failed: \(reason)" }
}
