package import NielsenID3
import ID3v2

extension CheckID {
    /// `time.audio-sync`.
    package static let timeAudioSync = CheckID("time.audio-sync")
}

extension HealthLimit {
    /// `time.audio-sync`: the maximum distance between a tag and the audio.
    public static let audioSync = HealthLimit(
        "limit-audio-sync", 15, "s",
        "time.audio-sync: maximum distance between a tag and the audio")
}

/// `time.audio-sync`: a tag's time is near its source audio.
///
/// In a transport stream, the reference is the last audio PTS before the tag's first packet, or the last video PTS if
/// there is no audio. In packed audio and fragmented MP4, and in a transport stream without such a PTS, it is the
/// segment's span.
enum TimeAudioSync: PlacedTagCheck {
    static let declaration = CheckDeclaration(
        .timeAudioSync, worst: .fail, clock: .stream, limits: [.audioSync], rowLimit: .audioSync,
        notRun: "No tag with a time was near audio or video with a time.",
        expectation: "A tag is near its source audio",
        title: "A tag is far from the audio that it describes",
        meaning: """
            The PTS of the tag is more than 15 s from the audio beside it in the stream. A player delivers the tag at
            the wrong time, or never if its time has passed before the segment is loaded.
            """,
        appearance: """
            The finding has the tag's time and that of the last audio packet before it (in fMP4 and packed audio, the
            span of the segment). A constant distance suggests an offset; a growing distance suggests a separate clock.
            """,
        cause: """
            A step that restamps audio and video but not the metadata PID: FFmpeg with `-output_ts_offset`, `-itsoffset`
            on only one input or a muxer that starts at zero; a splicer that rebases the PTS; or a wrap of the 33-bit
            PTS in one stream but not the other. In version 1 of `emsg`, a presentation time in a timescale other than
            the track's has the same effect.
            """,
        action: """
            Make sure that the step that changes timestamps changes those of all PIDs equally. If the offset is
            constant, its amount identifies the step: compare the first PTS before and after each.
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
                seconds < 0 ? "before the audio that precedes it" : "after the audio that precedes it"
            case .segment: seconds < 0 ? "before the audio of its segment" : "after the audio of its segment"
            }
        return .violation(
            .fail,
            "the tag's time is \(SecondsText(seconds.magnitude)) \(side): up to \(SecondsText(limit)) is normal "
                + "(clock: pts)")
    }
}
