import PlayerSession
import NielsenID3
import StreamHealth

/// `metadata.audio`: isAudio is never set for video.
struct MetadataAudio: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("metadata.audio"), worst: .fail,
        notRun: "The log has no content with isAudio: play audio.",
        expectation: "isAudio is never set for video",
        title: "isAudio is set for content that has a picture",
        meaning: """
            isAudio moves the content to the audio ratings. Video with it is lost there.
            """,
        appearance: """
            isAudio is true, and the app reports the size or the visibility of a picture.
            """,
        cause: """
            The flag of the audio player is passed by the video player, too.
            """,
        action: """
            Set isAudio for audio streams only.
            """,
        source: "guide 001, Create Content Metadata; guide 000, DCR Italy AUDIO iOS SDK")

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        if case .load(let metadata) = event, metadata["isaudio"] != nil { findings.run() }
    }

    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard call.name == .trackViewability, player.isAudio else { return }
        findings.run()
        findings.find("trackViewability reports a picture, and the content is audio")
    }
}
