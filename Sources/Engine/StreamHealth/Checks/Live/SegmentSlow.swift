package import NielsenID3

extension CheckID {
    /// `segment.slow`.
    package static let segmentSlow = CheckID("segment.slow")
}

extension HealthLimit {
    /// `segment.slow`: the maximum load time, in durations of the segment.
    package static let slowSegment = HealthLimit(
        "limit-slow-segment", 1, "durations",
        "segment.slow: maximum load time, in durations of the segment")
}

/// `segment.slow`: a segment loads in less time than it plays.
enum SegmentSlow: LiveCheck {
    static let declaration = CheckDeclaration(
        .segmentSlow, worst: .warn, clock: .wall, limits: [.slowSegment], rowLimit: .slowSegment,
        notRun: "No segment was loaded.",
        expectation: "A segment loads faster than it plays",
        title: "A segment loads more slowly than it plays",
        meaning: """
            The load of a segment took longer than the segment plays. A player with the same download speed runs out of
            media: it stalls, or switches to a lower rendition.
            """,
        appearance: """
            The finding has both times. A much lower rendition from the same address loads fast.
            """,
        cause: """
            An origin or cache that is overloaded, or that sends a segment while it is still being encoded; a network
            path with too little bandwidth; or a machine that follows too many channels.
            """,
        action: """
            Compare with other channels of the same host, and with this channel from another machine. If all channels
            are slow here, check the load and the network of this machine.
            """)

    /// Checks the time that a load took, in seconds.
    static func check(seconds: Double, duration: Double, by policy: HealthPolicy) -> CheckResult {
        guard seconds.isFinite, duration > 0 else { return .notRun }
        let limit = duration * policy[.slowSegment]
        guard seconds > limit else { return .pass }
        return .violation(
            .warn,
            "the segment of \(SecondsText(duration)) took \(SecondsText((seconds * 1_000).rounded() / 1_000)) to load: "
                + "up to \(SecondsText(limit)) is normal (clock: wall)")
    }
}
