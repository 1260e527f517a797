package import NielsenID3

extension CheckID {
    /// `playlist.variant-drift`.
    package static let playlistVariantDrift = CheckID("playlist.variant-drift")
}

extension HealthLimit {
    /// `playlist.variant-drift`: how far a rendition may be behind another.
    package static let variantDrift = HealthLimit(
        "limit-variant-drift", 3, "target durations",
        "playlist.variant-drift: how far a rendition may be behind another")
}

/// `playlist.variant-drift`: the playlists of the renditions end at about the same date.
enum PlaylistVariantDrift: LiveCheck {
    static let declaration = CheckDeclaration(
        .playlistVariantDrift, worst: .warn, clock: .wall, limits: [.variantDrift], rowLimit: .variantDrift,
        notRun: "Only one rendition was followed, or they have no EXT-X-PROGRAM-DATE-TIME.",
        expectation: "No rendition is behind the others",
        title: "A rendition is behind the others",
        meaning: """
            The playlists of a presentation must list the same content, up to one target duration at their ends (RFC 8216,
            6.2.4). One rendition is further behind than that: players that change to it repeat or skip media, with its tags.
            """,
        appearance: """
            The dates at which the media playlists end lie apart by several segments, and stay so or grow.
            """,
        cause: """
            One encoder of the ladder is overloaded or was started later; a cache holds the playlist of one rendition for
            longer; renditions that come from two packagers.
            """,
        action: """
            Compare the last segment of each media playlist at the origin. If they agree there, look at the caches; if not, at
            the load of the encoder that makes the late rendition.
            """)

    /// Checks how far the slowest rendition is behind the fastest, both in seconds behind the wall clock.
    static func check(
        behind slowest: Double, and fastest: Double, targetDuration: Double, by policy: HealthPolicy
    ) -> CheckResult {
        let limit = policy[.variantDrift] * targetDuration
        guard slowest - fastest > limit else { return .pass }
        return .violation(
            .warn,
            "the playlist ends \(SecondsText(slowest)) behind the wall clock, and that of another rendition "
                + "\(SecondsText(fastest)): up to \(SecondsText(limit)) of difference is normal (clock: wall)"
        )
    }
}
