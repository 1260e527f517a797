import PlayerSession
import NielsenID3
import StreamHealth

/// `order.resume`: content continues after an advertisement at the position where it was left.
struct OrderResume: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("order.resume"), worst: .fail,
        notRun: "The log has no content that continues after an advertisement: play a midroll.",
        expectation: "Content continues after an advertisement at the position where it was left",
        title: "Content continues elsewhere after an advertisement",
        meaning: """
            The playhead of the content counts the content only. A position that includes the advertisement, or \
            starts again, shifts all later minutes.
            """,
        appearance: """
            The first playhead of the content after an advertisement is more than 10 s from the last one before it.
            """,
        cause: """
            The app reports the position of the whole stream, or the advertisement plays in the same player.
            """,
        action: """
            Report the position within the content, and continue it after the advertisement.
            """,
        source: "guide 001, API Call Sequence; guide 004, API Call Sequence")

    private var left: Double?

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        switch event {
        case .load(let metadata):
            let isContinued = player.isAd && PlayerTimeline.isSame(player.content, metadata) && !player.isLive
            left = isContinued ? player.contentPosition?.seconds : nil
        case .playhead(let seconds):
            guard let left else { return }
            findings.run()
            if abs(seconds - left) > 10 {
                findings.find(
                    "the content was left at \(number(left)) s, and continues at \(number(seconds)) s")
            }
            self.left = nil
        default: break
        }
    }
}
