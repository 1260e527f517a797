import HLSPlaylist
package import NielsenID3

extension CheckID {
    /// `playlist.date-jump`.
    package static let playlistDateJump = CheckID("playlist.date-jump")
}

extension HealthLimit {
    /// `playlist.date-jump`: how far a date may lie from the end of the segment before.
    package static let dateJump = HealthLimit(
        "limit-date-jump", 1, "s",
        "playlist.date-jump: how far a date may lie from the end of the segment before")
}

/// `playlist.date-jump`: EXT-X-PROGRAM-DATE-TIME goes on where the segment before ends.
enum PlaylistDateJump: PlaylistEventCheck {
    static let declaration = CheckDeclaration(
        .playlistDateJump, worst: .warn, limits: [.dateJump], rowLimit: .dateJump,
        notRun: "The live playlist has no EXT-X-PROGRAM-DATE-TIME.",
        expectation: "EXT-X-PROGRAM-DATE-TIME goes on with the media",
        title: "The date of the live playlist jumps",
        meaning: """
            EXT-X-PROGRAM-DATE-TIME of a segment is not where the segment before ends, and no EXT-X-DISCONTINUITY stands
            between. Media is missing, is there twice, or the dates are wrong; what is placed by date is misplaced.
            """,
        appearance: """
            The difference of two dates is not the sum of the EXTINF between them, by as much as the finding says.
            """,
        cause: """
            Media that the encoder lost without telling the packager; a clock that was stepped instead of slewed; a
            packager that was started anew and did not write the discontinuity.
            """,
        action: """
            See whether `sequence.step` or `time.gap` is found at the same place: then media is missing there. Otherwise
            look at the clock of the packager, and have it slewed by NTP.
            """)

    static func check(_ event: PlaylistEvent, by policy: HealthPolicy) -> CheckResult {
        guard case .dateJump(let mediaSequence, let milliseconds) = event else { return .notRun }
        let seconds = Double(milliseconds) / 1_000
        guard seconds.magnitude > policy[.dateJump] else { return .pass }
        return .violation(
            .warn,
            "the date of the segment with media sequence \(mediaSequence) lies \(SecondsText(seconds.magnitude)) "
                + "\(seconds < 0 ? "before" : "after") the end of the segment before, without a discontinuity: up to "
                + "\(SecondsText(policy[.dateJump])) is normal")
    }
}
