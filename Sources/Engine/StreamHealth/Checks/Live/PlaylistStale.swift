import HLSPlaylist
package import NielsenID3

extension CheckID {
    /// `playlist.stale`.
    package static let playlistStale = CheckID("playlist.stale")
}

/// `playlist.stale`: a live playlist changes within one and a half target durations.
enum PlaylistStale: PlaylistEventCheck {
    static let declaration = CheckDeclaration(
        .playlistStale, worst: .fail, clock: .wall,
        notRun: "No live playlist was loaded twice.",
        expectation: "The live playlist keeps updating",
        title: "The live playlist has stopped updating",
        meaning: """
            A live playlist must list a new segment within one and a half target durations of the last change (RFC 8216,
            6.2.2). This one does not: players run out of media, and no tag reaches a viewer until updates resume.
            """,
        appearance: """
            Every load returns the same bytes, or status 304. EXT-X-MEDIA-SEQUENCE and the last segment do not change.
            """,
        cause: """
            The encoder or packager has stopped while the origin still serves its last playlist; a cache keeps a
            playlist too long; or the origin's disk is full.
            """,
        action: """
            Load the playlist from the origin, bypassing the cache. If it changes there, shorten the cache's time to
            live for playlists. If not, check the packager, and then the encoder's input.
            """)

    static func check(_ event: PlaylistEvent, by policy: HealthPolicy) -> CheckResult {
        guard case .stale(let duration, let targetDuration) = event else { return .notRun }
        return .violation(
            .fail,
            "the playlist has not changed for \(SecondsText(duration / .seconds(1))): with a target duration of "
                + "\(SecondsText(targetDuration / .seconds(1))) it must change within "
                + "\(SecondsText(targetDuration / .seconds(1) * 1.5)) (clock: wall)")
    }
}
