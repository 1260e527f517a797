package import NielsenID3

extension CheckID {
    /// `segment.http`.
    package static let segmentHTTP = CheckID("segment.http")
}

/// `segment.http`: each segment that a live playlist lists can be loaded.
enum SegmentHTTP: LiveCheck {
    static let declaration = CheckDeclaration(
        .segmentHTTP, worst: .fail,
        notRun: "No segment was loaded.",
        expectation: "Every listed segment can be loaded",
        title: "A listed segment cannot be loaded",
        meaning: """
            The playlist lists a segment that could not be loaded or read. Its media and its tags are missing for all
            viewers who play the channel now.
            """,
        appearance: """
            The playlist loads normally, and the finding names the segment with the status or the error. The next tag
            often has a step in its sequence.
            """,
        cause: """
            The playlist is published before the segment (404 at first, then 200); segments are deleted while they are
            still listed; one of several origins lacks them; a cache keeps a 404; or a download stops in the middle.
            """,
        action: """
            Load the segment again. If it is there now, the packager publishes too early or a cache kept the error. If
            not, compare the origins behind the address.
            """,
        alerting: .init(stopsReading: true))

    /// Returns the violation for a failed load.
    static func check(_ failure: FetchFailure) -> CheckResult {
        .violation(.fail, "the load of the segment \(failure.text)")
    }
}
