import NielsenID3
import TimedMedia

/// `time.audio-sync`: a tag's time is near that of the audio it was made from.
///
/// Transport stream: near the last audio PTS before its first packet (video where there is no audio). Packed audio and
/// fragmented MP4, and where a transport stream has no such PTS: near the segment's span.
enum AudioSyncCheck: TagCheck {
    static let id = CheckID.timeAudioSync
    static let absence = "No tag with a time lies near audio or video with one."
    static let limit: HealthLimit? = .audioSync

    static func judge(_ tag: TagOccurrence, in context: TagContext) -> Judgement {
        guard tag.soundKind != nil, let time = tag.time else { return .notJudged }
        let limit = context.policy[.audioSync]
        if let audio = tag.transport?.precedingMediaTime, context.segment?.isOfAnEarlierLine(audio) != true {
            let distance = MediaDistance.seconds(from: audio, to: time)
            guard distance.magnitude > limit else { return .pass }
            return .hit(
                .fail,
                "the tag's PTS is \(SecondsText(distance.magnitude)) \(distance < 0 ? "behind" : "ahead of") the "
                    + "audio fed before it: up to \(SecondsText(limit)) is normal (clock: pts)")
        }
        guard let span = context.segment, tag.origin.place.segment == span.name,
            tag.origin.place.mediaSequence == span.mediaSequence,
            let outside = span.distance(of: time)
        else { return .notJudged }
        guard outside.magnitude > limit else { return .pass }
        return .hit(
            .fail,
            "the tag's time lies \(SecondsText(outside.magnitude)) \(outside < 0 ? "before" : "behind") the audio of "
                + "its segment: up to \(SecondsText(limit)) is normal (clock: pts)")
    }
}
