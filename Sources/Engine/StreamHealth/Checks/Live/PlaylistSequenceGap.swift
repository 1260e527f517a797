import HLSPlaylist
package import NielsenID3

extension CheckID {
    /// `playlist.sequence-gap`.
    package static let playlistSequenceGap = CheckID("playlist.sequence-gap")
}

/// `playlist.sequence-gap`: every segment is listed in at least one load before its removal.
enum PlaylistSequenceGap: PlaylistEventCheck {
    static let declaration = CheckDeclaration(
        .playlistSequenceGap, worst: .fail,
        notRun: "No live playlist was loaded twice.",
        expectation: "No segment is removed before it was listed",
        title: "Segments of the live playlist were never listed",
        meaning: """
            The oldest segment of the playlist is later than the successor of the newest segment in the previous load:
            the segments between were removed before any load listed them. Their tags were not read, and players with
            the same reload interval miss their media.
            """,
        appearance: """
            EXT-X-MEDIA-SEQUENCE increases by more than the number of segments in the previous load.
            """,
        cause: """
            A cache or origin that served an old playlist for a long time and then a new one; a window of very few
            segments; an encoder that jumps ahead after a restart; or loads that failed for longer than the window
            lasts.
            """,
        action: """
            Check for `playlist.stale` and `playlist.http` just before. Without them, compare the media sequence at the
            origin and behind each cache, and lengthen the window to at least three target durations.
            """)

    static func check(_ event: PlaylistEvent, by policy: HealthPolicy) -> CheckResult {
        guard case .sequenceGap(let expected, let found) = event else { return .notRun }
        let count = max(1, found.subtractingReportingOverflow(expected).partialValue)
        return .violation(
            .fail,
            "the playlist begins with media sequence \(found), not with \(expected): \(count) "
                + "segment\(count == 1 ? " was" : "s were") removed before any load listed "
                + (count == 1 ? "it" : "them"))
    }
}
