package import NielsenID3
import TimedMedia

extension CheckID {
    /// `time.audio-sync`.
    package static let timeAudioSync = CheckID("time.audio-sync")
}

extension HealthLimit {
    /// `time.audio-sync`: how far a tag may lie from the audio.
    public static let audioSync = HealthLimit(
        "limit-audio-sync", 15, "s",
        "time.audio-sync: how far a tag may lie from the audio")
}

/// `time.audio-sync`: a tag's time is near that of the audio it was made from.
///
/// Transport stream: near the last audio PTS before its first packet (video where there is no audio). Packed audio and
/// fragmented MP4, and where a transport stream has no such PTS: near the segment's span.
enum TimeAudioSync: PlacedTagCheck {
    static let declaration = CheckDeclaration(
        .timeAudioSync, worst: .fail, clock: .stream, limits: [.audioSync], rowLimit: .audioSync,
        notRun: "No tag with a time lies near audio or video with one.",
        expectation: "A tag lies near the audio that it was made from",
        title: "A tag lies far from the audio that it is about",
        meaning: """
            The tag's PTS is more than 15 s from the audio beside it in the stream. A player delivers it at the wrong
            time, or never if its time has passed before the segment is loaded.
            """,
        appearance: """
            The finding has the tag's time and that of the last audio packet before it (fMP4 and packed audio: the span
            of the segment). A distance that never changes hints at an offset, one that grows at a clock of its own.
            """,
        cause: """
            A step that restamps audio and video and not the metadata PID: FFmpeg with `-output_ts_offset`,
            `-itsoffset` on one input alone or a muxer that starts at zero; a splicer that rebases PTS; a wrap of the
            33-bit PTS that one stream took and the other not. In `emsg` of version 1 a presentation time in another
            timescale than the track's does it too.
            """,
        action: """
            Make sure that the step which changes timestamps changes those of all PIDs alike. With a constant offset, the
            amount tells which step it was: compare the first PTS before and after each.
            """)

    static func check(_ tag: TagOccurrence, in context: TagContext) -> CheckResult {
        guard tag.validKind != nil, let (seconds, base) = AudioDistance.of(tag, in: context.segment) else {
            return .notRun
        }
        let limit = context.policy[.audioSync]
        guard seconds.magnitude > limit else { return .pass }
        let side =
            switch base {
            case .precedingAudio:
                seconds < 0 ? "before the audio fed before it" : "after the audio fed before it"
            case .segment: seconds < 0 ? "before the audio of its segment" : "after the audio of its segment"
            }
        return .violation(
            .fail,
            "the tag's time lies \(SecondsText(seconds.magnitude)) \(side): up to \(SecondsText(limit)) is normal "
                + "(clock: pts)")
    }
}
