import HLSPlaylist
package import NielsenID3

extension CheckID {
    /// `playlist.sequence-back`.
    package static let playlistSequenceBack = CheckID("playlist.sequence-back")
}

/// `playlist.sequence-back`: the media sequence of a live playlist never decreases.
enum PlaylistSequenceBack: PlaylistEventCheck {
    static let declaration = CheckDeclaration(
        .playlistSequenceBack, worst: .warn,
        notRun: "No live playlist was loaded twice.",
        expectation: "The media sequence never decreases",
        title: "The media sequence of the live playlist decreases",
        meaning: """
            Segment numbers must not decrease (RFC 8216, 6.2.2). Here they decreased or restarted: players may stall,
            play segments twice, or need a restart. The monitor reads the segments from the oldest on.
            """,
        appearance: """
            EXT-X-MEDIA-SEQUENCE is lower than in the previous load, often 0 or 1. If it is slightly lower and correct
            again in the next load, a cache returned an old playlist.
            """,
        cause: """
            The packager restarted without its last segment number; or two packagers or edge caches serve the same
            address in turn and disagree.
            """,
        action: """
            A single decrease at a known restart needs no action. If it recurs, find out whether several origins serve
            the address in turn, and configure the packager to keep its numbers across restarts.
            """)

    static func check(_ event: PlaylistEvent, by policy: HealthPolicy) -> CheckResult {
        guard case .sequenceBack(let newest, let found) = event else { return .notRun }
        return .violation(
            .warn,
            "the playlist begins with media sequence \(found), but the newest segment was \(newest): the sequence "
                + "decreased or restarted")
    }
}
