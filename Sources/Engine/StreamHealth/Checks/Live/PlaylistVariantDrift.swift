package import NielsenID3

extension CheckID {
    /// `playlist.variant-drift`.
    package static let playlistVariantDrift = CheckID("playlist.variant-drift")
}

extension HealthLimit {
    /// `playlist.variant-drift`: the maximum lag of a rendition behind another.
    package static let variantDrift = HealthLimit(
        "limit-variant-drift", 3, "target durations",
        "playlist.variant-drift: maximum lag of a rendition behind another")
}

/// `playlist.variant-drift`: the playlists of the renditions end at about the same date.
enum PlaylistVariantDrift: LiveCheck {
    static let declaration = CheckDeclaration(
        .playlistVariantDrift, worst: .warn, clock: .wall, limits: [.variantDrift], rowLimit: .variantDrift,
        notRun: "Only one rendition was followed, or the renditions have no EXT-X-PROGRAM-DATE-TIME.",
        expectation: "No rendition lags behind the others",
        title: "A rendition lags behind the others",
        meaning: """
            The playlists of a presentation must list the same content, up to one target duration at their ends (RFC
            8216, 6.2.4). One rendition lags further behind: players that switch to it repeat or skip media, including
            its tags.
            """,
        appearance: """
            The dates at the ends of the media playlists differ by several segments, and the difference is constant or
            grows.
            """,
        cause: """
            One encoder of the ladder is overloaded or was started later; a cache keeps the playlist of one rendition
            longer; or the renditions come from two packagers.
            """,
        action: """
            Compare the last segment of each media playlist at the origin. If they agree there, check the caches. If
            not, check the load of the encoder that makes the late rendition.
            """)

    /// Checks the lag of the slowest rendition behind the fastest.
    ///
    /// Both are given in seconds behind the wall clock.
    static func check(
        behind slowest: Double, and fastest: Double, targetDuration: Double, by policy: HealthPolicy
    ) -> CheckResult {
        let limit = policy[.variantDrift] * targetDuration
        guard slowest - fastest > limit else { return .pass }
        return .violation(
            .warn,
            "the playlist ends \(SecondsText(slowest)) behind the wall clock, that of another rendition "
                + "\(SecondsText(fastest)): up to \(SecondsText(limit)) of difference is normal (clock: wall)"
        )
    }
}
