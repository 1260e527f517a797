package import NielsenID3
import ID3v2

extension CheckID {
    /// `time.overlap`.
    package static let timeOverlap = CheckID("time.overlap")
}

extension HealthLimit {
    /// `time.overlap`: the maximum overlap of a DATA tag with the previous one.
    public static let overlap = HealthLimit(
        "limit-overlap", 9, "s",
        "time.overlap: maximum overlap of a DATA tag with the previous one")
}

/// `time.overlap`: a DATA tag begins at most 9 seconds before the end of the previous one.
enum TimeOverlap: HealthCheck {
    static let declaration = CheckDeclaration(
        .timeOverlap, worst: .fail, clock: .tag, limits: [.overlap], rowLimit: .overlap,
        notRun: "No two DATA tags follow each other.",
        expectation: "A DATA tag does not begin long before the end of the previous one",
        title: "The times of two tags overlap",
        meaning: """
            A DATA tag begins more than nine seconds before the end of the previous one in the same run. The same
            seconds are reported twice, by tags that disagree (fail). An overlap of up to nine seconds is normal at a
            fail-over. If the tags are those of earlier content, the content repeats: fail, or a warning if it is
            marked by a discontinuity or repeats within a minute. A PTS that goes back from one file of a folder to the
            next is a warning.
            """,
        appearance: """
            The `first` of a tag is earlier than the `last` of the previous one, although its PTS is later. Content
            that repeats has the same tags again.
            """,
        cause: """
            Two inserters in series that both add tags; content that was joined out of order, such as a catch-up
            recording that starts over; or an inserter whose wall clock was set back. Repeated content comes from a
            loop, from an archive or segments that were joined twice, or from copies of a file. A PTS that goes back
            comes from these, and from segments of several renditions or recordings in one folder.
            """,
        action: """
            Make sure that the chain has only one inserter (configure a second one to leave tagged audio alone) and that
            NTP slews its clock instead of stepping it. Remove copies, and read renditions by their playlists.
            """)

    static let needsOnlyOwner = true

    /// The maximum overlap of two segments that is not a PTS that goes back, in seconds.
    private static let maximumSegmentOverlap = 1.0

    /// Returns the distance of a PTS that goes back between two segments in seconds, or nil.
    static func backwardSeconds(from last: MediaTimestamp, to first: MediaTimestamp) -> Double? {
        let step = MediaDistance.seconds(from: last, to: first)
        return step < -maximumSegmentOverlap ? -step : nil
    }

    /// Describes tags that are those of earlier content.
    static func replay(at step: PendingStep) -> String {
        guard case .distance(let distance, let last, let first) = step.timing, distance < 0 else {
            return
                "sequence \(step.to) was there before, with the same times: the content repeats (clock: tag)"
        }
        return
            "tag times go back by \(SecondsText(-distance)), from \(UTCTime(last)) to \(UTCTime(first)), and "
            + "sequence \(step.to) was there before: the content repeats (clock: tag)"
    }

    /// Checks the seconds between two DATA tags.
    static func check(_ distance: Int, from last: UInt32, to first: UInt32, policy: HealthPolicy)
        -> CheckResult
    {
        let limit = policy[.overlap]
        guard Double(-distance) > limit else { return .pass }
        return .violation(
            .fail,
            "first time \(UTCTime(first)) is \(SecondsText(-distance)) before the last time of the previous DATA tag, "
                + "\(UTCTime(last)): up to \(SecondsText(limit)) of overlap is normal (clock: tag)")
    }
}
