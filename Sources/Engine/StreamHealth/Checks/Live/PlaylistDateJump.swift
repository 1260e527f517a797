import HLSPlaylist
package import NielsenID3

extension CheckID {
    /// `playlist.date-jump`.
    package static let playlistDateJump = CheckID("playlist.date-jump")
}

extension HealthLimit {
    /// `playlist.date-jump`: the maximum distance between a date and the end of the previous segment.
    package static let dateJump = HealthLimit(
        "limit-date-jump", 1, "s",
        "playlist.date-jump: maximum distance between a date and the end of the previous segment")
}

/// `playlist.date-jump`: EXT-X-PROGRAM-DATE-TIME continues from the end of the previous segment.
enum PlaylistDateJump: PlaylistEventCheck {
    static let declaration = CheckDeclaration(
        .playlistDateJump, worst: .warn, limits: [.dateJump], rowLimit: .dateJump,
        notRun: "The live playlist has no EXT-X-PROGRAM-DATE-TIME.",
        expectation: "EXT-X-PROGRAM-DATE-TIME advances with the media",
        title: "The date in the live playlist jumps",
        meaning: """
            EXT-X-PROGRAM-DATE-TIME of a segment does not match the end of the previous segment, and there is no
            EXT-X-DISCONTINUITY between them. Media is missing or repeated, or the dates are wrong; anything placed by
            date is misplaced.
            """,
        appearance: """
            The difference between two dates is not the sum of the EXTINF durations between them. The finding has the
            deviation.
            """,
        cause: """
            Media that the encoder lost without informing the packager; a clock that was stepped instead of slewed; or a
            packager that restarted without writing a discontinuity.
            """,
        action: """
            Check for a finding of `sequence.step` or `time.gap` at the same place: then media is missing there.
            Otherwise check the clock of the packager, and have NTP slew it.
            """)

    static func check(_ event: PlaylistEvent, by policy: HealthPolicy) -> CheckResult {
        guard case .dateJump(let mediaSequence, let milliseconds) = event else { return .notRun }
        let seconds = Double(milliseconds) / 1_000
        guard seconds.magnitude > policy[.dateJump] else { return .pass }
        return .violation(
            .warn,
            "the date of the segment with media sequence \(mediaSequence) is \(SecondsText(seconds.magnitude)) "
                + "\(seconds < 0 ? "before" : "after") the end of the previous segment, without a discontinuity: up to "
                + "\(SecondsText(policy[.dateJump])) is normal")
    }
}
