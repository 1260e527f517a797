import HLSPlaylist
package import NielsenID3

extension CheckID {
    /// `playlist.segment-too-long`.
    package static let playlistSegmentTooLong = CheckID("playlist.segment-too-long")
}

/// `playlist.segment-too-long`: no segment is longer than the target duration.
enum PlaylistSegmentTooLong: PlaylistEventCheck {
    static let declaration = CheckDeclaration(
        .playlistSegmentTooLong, worst: .warn,
        notRun: "No live playlist was loaded.",
        expectation: "No segment is longer than the target duration",
        title: "A segment is longer than the target duration",
        meaning: """
            The EXTINF of each segment, rounded to whole seconds, must not exceed EXT-X-TARGETDURATION (RFC 8216, 4.3.3.1).
            Players load as often as the target duration says, and plan their buffer by it: a longer segment makes them stall.
            """,
        appearance: """
            `#EXTINF:9.6,` below `#EXT-X-TARGETDURATION:6`, often just before an advertisement break.
            """,
        cause: """
            Key frames that do not come at the segment's end; a segment that was extended to the place of a splice; a target
            duration that is written once, from the setting.
            """,
        action: """
            Set the encoder to a fixed distance of key frames that divides the segment's length, or raise the packager's
            target duration to the longest segment.
            """)

    static func check(_ event: PlaylistEvent, by policy: HealthPolicy) -> CheckResult {
        guard case .segmentTooLong(let mediaSequence, let seconds, let targetDuration) = event else {
            return .notRun
        }
        return .violation(
            .warn,
            "the segment with media sequence \(mediaSequence) has \(SecondsText(seconds)): the target duration is "
                + "\(SecondsText(targetDuration))")
    }
}
