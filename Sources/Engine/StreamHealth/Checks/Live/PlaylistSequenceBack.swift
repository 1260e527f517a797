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
        expectation: "The media sequence never goes back",
        title: "The media sequence of the live playlist goes back",
        meaning: """
            The numbers of segments must not decrease (RFC 8216, 6.2.2). Here they went back or started again: players may
            stall, play segments twice, or need to be started anew. The segments are read from the oldest on.
            """,
        appearance: """
            EXT-X-MEDIA-SEQUENCE is lower than in the load before, often 0 or 1. One that is lower by a few and right again
            with the next load came from a cache.
            """,
        cause: """
            The packager was started anew without the number that it had reached; two packagers or edge caches that serve one
            address in turn and do not agree.
            """,
        action: """
            Once, at a known restart, it needs nothing. If it comes again, find out whether the address is served by several
            origins in turn, and have the packager keep its numbers over a restart.
            """)

    static func check(_ event: PlaylistEvent, by policy: HealthPolicy) -> CheckResult {
        guard case .sequenceBack(let newest, let found) = event else { return .notRun }
        return .violation(
            .warn,
            "the playlist begins with media sequence \(found), and the newest segment was \(newest): the sequence went back "
                + "or starts again")
    }
}
