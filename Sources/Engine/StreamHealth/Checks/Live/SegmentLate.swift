package import NielsenID3

extension CheckID {
    /// `segment.late`.
    package static let segmentLate = CheckID("segment.late")
}

/// `segment.late`: each segment can be loaded when the playlist lists it.
enum SegmentLate: LiveCheck {
    static let declaration = CheckDeclaration(
        .segmentLate, worst: .warn, clock: .wall,
        notRun: "No segment was loaded.",
        expectation: "Every listed segment can be loaded at once",
        title: "A listed segment came late",
        meaning: """
            A server must make a segment available before the playlist lists it (RFC 8216, 6.2.1). This one could not be
            loaded or read at first, and was there more than a target duration later. Its tags were read then, but
            players that asked for it in between may have skipped it.
            """,
        appearance: """
            The finding names the segment and the time from the first request to the one that succeeded. Tags are not
            missing.
            """,
        cause: """
            The packager publishes the playlist before the segment is on all servers; a replication between origins is
            slow; or a cache keeps the answer 404 of an early request.
            """,
        action: """
            Publish a segment before the playlist that lists it. Do not let caches keep answers with an error status for
            longer than a second.
            """)

    /// Returns the violation for a segment that came `delay` seconds late.
    static func check(delay: Double?) -> CheckResult {
        guard let delay else { return .pass }
        return .violation(
            .warn, "the segment could be read only \(SecondsText(delay)) after the playlist listed it")
    }
}
