import HLSPlaylist
package import NielsenID3

extension CheckID {
    /// `playlist.discontinuity-sequence`.
    package static let playlistDiscontinuitySequence = CheckID("playlist.discontinuity-sequence")
}

/// `playlist.discontinuity-sequence`: a segment keeps its discontinuity sequence number.
enum PlaylistDiscontinuitySequence: PlaylistEventCheck {
    static let declaration = CheckDeclaration(
        .playlistDiscontinuitySequence, worst: .warn,
        notRun: "No live playlist was loaded twice.",
        expectation: "A segment keeps its discontinuity sequence number",
        title: "The discontinuity sequence of a listed segment changes",
        meaning: """
            EXT-X-DISCONTINUITY-SEQUENCE must count the discontinuities that have left the playlist (RFC 8216, 6.2.2).
            It does not, so players may match renditions incorrectly: sound or tags from one side of a splice with
            pictures from the other.
            """,
        appearance: """
            A segment that stays in the window has a different discontinuity sequence number than before, usually just
            after an EXT-X-DISCONTINUITY has left the playlist.
            """,
        cause: """
            A packager or an ad-stitching server does not write EXT-X-DISCONTINUITY-SEQUENCE, or increments it one load
            too early or too late.
            """,
        action: """
            Save two loads around an advertisement break, and give both to the operator of the packager or the
            advertisement insertion.
            """)

    static func check(_ event: PlaylistEvent, by policy: HealthPolicy) -> CheckResult {
        guard case .discontinuitySequence(let mediaSequence, let expected, let found) = event else {
            return .notRun
        }
        return .violation(
            .warn,
            "the segment with media sequence \(mediaSequence) has discontinuity sequence \(found), but had \(expected) "
                + "in the previous load")
    }
}
