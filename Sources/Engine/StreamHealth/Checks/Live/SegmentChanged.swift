import HLSPlaylist
package import NielsenID3

extension CheckID {
    /// `segment.changed`.
    package static let segmentChanged = CheckID("segment.changed")
}

/// `segment.changed`: a segment's address does not change.
enum SegmentChanged: PlaylistEventCheck {
    static let declaration = CheckDeclaration(
        .segmentChanged, worst: .warn,
        notRun: "No segment was seen twice.",
        expectation: "A segment keeps its address",
        title: "The address of a listed segment has changed",
        meaning: """
            The same media sequence number has another address than in the previous load of the playlist. Players that
            loaded the segment earlier have different media, and different tags, from players that load it now.
            """,
        appearance: "Two loads of the playlist disagree about the address of a segment in both.",
        cause: """
            Two packagers that serve one address in turn, or a packager that numbers its segments differently after a
            restart.
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
}
