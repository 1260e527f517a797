import HLSPlaylist
package import NielsenID3

extension CheckID {
    /// `segment.changed`.
    package static let segmentChanged = CheckID("segment.changed")
}

/// `segment.changed`: a segment's address and content do not change.
enum SegmentChanged: PlaylistEventCheck {
    static let declaration = CheckDeclaration(
        .segmentChanged, worst: .warn,
        notRun: "No segment was seen twice.",
        expectation: "A segment keeps its address and content",
        title: "A listed segment has changed its address or content",
        meaning: """
            The same media sequence number has another address than in the previous load, or the same address has
            different bytes than before. Players that loaded the segment earlier have different media, and different
            tags, from players that load it now; caches mix the two.
            """,
        appearance: """
            Two loads of the playlist disagree about a segment in both, or two loads of a segment have different
            lengths, ETags or checksums.
            """,
        cause: """
            Two packagers that serve one address in turn; a packager that reuses names after a restart; or names that
            are reused in a ring, with a cache that keeps the old ones.
            """,
        action: """
            Make sure that each segment has a unique name, with the time or a number that continues across restarts, and
            that only one origin at a time serves the channel.
            """)

    static func check(_ event: PlaylistEvent, by policy: HealthPolicy) -> CheckResult {
        guard case .segmentReplaced(let mediaSequence, let from, let to) = event else { return .notRun }
        return .violation(
            .warn,
            "the segment with media sequence \(mediaSequence) is now \(shown(to)), but was \(shown(from)) in the "
                + "previous load")
    }

    /// Returns a URI without its query, which may contain a signature.
    private static func shown(_ uri: String) -> Substring { uri.prefix { $0 != "?" } }

    /// The violation for an address whose bytes have changed.
    static let otherBytes = CheckResult.violation(
        .warn, "the segment has different bytes than in an earlier load")
}
