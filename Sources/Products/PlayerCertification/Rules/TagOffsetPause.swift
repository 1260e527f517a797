import NielsenID3
import PlayerSession
import StreamHealth

/// `tag.offset-pause`: after a pause of 30 s the offset of a tag is in range.
struct TagOffsetPause: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("tag.offset-pause"), worst: .fail,
        notRun: "The log has no tags before and after a pause of 30 s: pause for 30 s.",
        expectation: "After a pause of 30 s the offset of a tag is in range",
        title: "The offset of the tags is out of range after a pause",
        meaning: """
            After a pause playback continues where it was, or at the live picture. An offset before the last one, or \
            beyond the time that passed, is that of another picture.
            """,
        appearance: """
            The first tag after a pause of 30 s has the content id of the last one before, and an offset below it, \
            or above it by more than the time that passed and 30 s.
            """,
        cause: """
            Tags from before the pause are handed over again, or the player jumps without a seek.
            """,
        action: """
            Hand over each tag once, when it is presented.
            """,
        source: "field practice")

    private var before: (tag: NielsenTag, at: Double)?

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        if player.phase == .paused, player.time - player.phaseStart >= 30, before == nil {
            before = player.lastTag
        }
        switch event {
        case .playhead(let seconds):
            // A seek has its own rule.
            if let jump = player.jump(to: seconds), abs(jump) >= 30 { before = nil }
        case .end, .free: before = nil
        case .load where player.isAd: before = nil
        case .tag(let tag) where tag.hasContent:
            guard let old = before else { return }
            before = nil
            guard tag.pcCID == old.tag.pcCID, let from = old.tag.pcOffset, let to = tag.pcOffset else {
                return
            }
            findings.run()
            let passed = player.time - old.at
            if to < from || Double(to - from) > passed + 30 {
                findings.find("the offset goes from \(from) to \(to) in \(number(passed)) s")
            }
        default: break
        }
    }
}
