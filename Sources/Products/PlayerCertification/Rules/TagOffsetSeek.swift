import PlayerSession
import NielsenID3
import StreamHealth

/// `tag.offset-seek`: offsets are smaller after a seek back by 30 s, and larger after a seek forward by 2 min.
struct TagOffsetSeek: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("tag.offset-seek"), worst: .fail,
        notRun: "The log has no tags before and after a seek: seek back by 30 s, and forward by 2 min.",
        expectation:
            "Offsets are smaller after a seek back by 30 s, and larger after a seek forward by 2 min",
        title: "The offset of the tags does not follow a seek",
        meaning: """
            The offset is the position of the tag in its program. One that ignores a seek belongs to another picture \
            than the one on the screen.
            """,
        appearance: """
            The first tag after a seek has the content id of the last one before, and an offset on the wrong side of \
            it.
            """,
        cause: """
            Tags that were read before the seek are handed over after it.
            """,
        action: """
            Drop tags that were read and not presented when a seek begins, or pass their media time.
            """,
        source: "field practice")

    private var direction = 0
    private var before: NielsenTag?

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        switch event {
        case .playhead(let seconds):
            guard let jump = player.jump(to: seconds), !player.isAd else { return }
            if jump <= -30 { direction = -1 } else if jump >= 120 { direction = 1 } else { return }
            before = player.lastTag?.tag
        case .load(let metadata) where PlayerTimeline.type(of: metadata)?.isAd == true: direction = 0
        case .play, .end: direction = 0
        case .tag(let tag) where direction != 0 && tag.hasContent:
            defer { direction = 0 }
            guard let old = before, tag.pcCID == old.pcCID, let from = old.pcOffset, let to = tag.pcOffset
            else { return }
            findings.run()
            if (to - from).signum() != direction {
                findings.find(
                    "the offset goes from \(from) to \(to) after a seek \(direction < 0 ? "back" : "forward")"
                )
            }
        default: break
        }
    }
}
