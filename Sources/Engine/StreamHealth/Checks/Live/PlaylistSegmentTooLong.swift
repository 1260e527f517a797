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
            The EXTINF of each segment, rounded to whole seconds, must not exceed EXT-X-TARGETDURATION (RFC 8216,
            4.3.3.1). Players derive their reload interval and buffer size from the target duration: a longer segment
            can make them stall.
            """,
        appearance: """
            `#EXTINF:9.6,` below `#EXT-X-TARGETDURATION:6`, often just before an advertisement break.
            """,
        cause: """
            Key frames that are not aligned with the segment's end; a segment that was extended to a splice point; or a
            target duration that is set once from the configuration.
            """,
        action: """
            Set the encoder to a fixed key frame interval that divides the segment duration, or raise the packager's
            target duration to the longest segment.
            """)

    static func check(_ event: PlaylistEvent, by policy: HealthPolicy) -> CheckResult {
        guard case .segmentTooLong(let mediaSequence, let seconds, let targetDuration) = event else {
            return .notRun
        }
        return .violation(
            .warn,
            "the segment with media sequence \(mediaSequence) lasts \(SecondsText(seconds)): the target duration is "
                + "\(SecondsText(targetDuration))")
    }
}
