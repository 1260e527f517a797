import HLSPlaylist
package import NielsenID3

extension CheckID {
    /// `segment.changed`.
    package static let segmentChanged = CheckID("segment.changed")
}

/// `segment.changed`: what a segment's name or number stands for does not change.
enum SegmentChanged: PlaylistEventCheck {
    static let declaration = CheckDeclaration(
        .segmentChanged, worst: .warn,
        notRun: "No segment was seen twice.",
        expectation: "A segment stays what it was when it was listed first",
        title: "A segment that was listed before is another one now",
        meaning: """
            The same media sequence number has another address than in the load before, or the same address has other bytes
            than before. Who loaded it earlier has other media, and other tags, than who loads it now; caches mix the two.
            """,
        appearance: """
            Two loads of the playlist disagree about a segment that both list; or two loads of a segment have different
            lengths, ETags or sums.
            """,
        cause: """
            Two packagers that serve one address in turn; a packager that was started anew and uses the same names again;
            names that are reused in a ring, with a cache in front that keeps the old ones.
            """,
        action: """
            Make sure that each segment has a name of its own, with the time or a number that goes on over restarts, and that
            one origin at a time serves the channel.
            """)

    static func check(_ event: PlaylistEvent, by policy: HealthPolicy) -> CheckResult {
        guard case .segmentReplaced(let mediaSequence, let from, let to) = event else { return .notRun }
        return .violation(
            .warn,
            "the segment with media sequence \(mediaSequence) is \(shown(to)) now, and was \(shown(from)) in the load "
                + "before")
    }

    /// A name without its query, in which a signature may be.
    private static func shown(_ uri: String) -> Substring { uri.prefix { $0 != "?" } }

    /// What is found where an address has other bytes than before.
    static let otherBytes = CheckResult.violation(
        .warn, "the segment has other bytes than when it was loaded before")
}
