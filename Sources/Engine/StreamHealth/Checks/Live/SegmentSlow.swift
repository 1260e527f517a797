package import NielsenID3

extension CheckID {
    /// `segment.slow`.
    package static let segmentSlow = CheckID("segment.slow")
}

extension HealthLimit {
    /// `segment.slow`: how long a load may take.
    package static let slowSegment = HealthLimit(
        "limit-slow-segment", 1, "durations",
        "segment.slow: how long a load may take, in durations of the segment")
}

/// `segment.slow`: a segment is loaded in less time than it lasts.
enum SegmentSlow: LiveCheck {
    static let declaration = CheckDeclaration(
        .segmentSlow, worst: .warn, clock: .wall, limits: [.slowSegment], rowLimit: .slowSegment,
        notRun: "No segment was loaded.",
        expectation: "A segment loads faster than it plays",
        title: "A segment loads more slowly than it plays",
        meaning: """
            The load of a segment took longer than the segment lasts. A player that gets it no faster runs out of media: it
            stalls, or changes to a lower rendition.
            """,
        appearance: """
            The finding has both times. With a rendition that is much lower the same address is fast.
            """,
        cause: """
            An origin or cache that is overloaded, or that sends a segment while it is still being encoded; a network path
            with too little room; a machine that follows more channels than it can.
            """,
        action: """
            Compare with other channels of the same host, and with this one from another machine. If all channels are slow
            here, look at the load and the network of this machine.
            """)

    /// Checks how long a load took, in seconds.
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
