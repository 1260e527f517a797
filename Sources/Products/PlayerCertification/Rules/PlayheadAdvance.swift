import NielsenID3
import PlayerSession
import StreamHealth

/// `playhead.advance`: the playhead advances by the time that passes.
struct PlayheadAdvance: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("playhead.advance"), worst: .fail,
        notRun: "The log has no ten playheads in a row: play content for a minute.",
        expectation: "The playhead advances by the time that passes",
        title: "The playhead does not advance with time",
        meaning: """
            The SDK counts the different seconds that the app reports. A position that stands still, or runs at \
            another speed, is credited wrongly.
            """,
        appearance: """
            Over ten playheads without a seek the position advances by less than half or by more than twice the time \
            that passed.
            """,
        cause: """
            The position of another player object, a position in milliseconds below the limit, or one that is \
            rounded to minutes.
            """,
        action: """
            Report the position of the player that is on the screen, in seconds.
            """,
        source: "guide 001, SDK Events; guide 004, playheadPosition (increments only by 1)")

    private var start: PlayerTimeline.Position?
    private var count = 0

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .playhead(let seconds) = event else {
            if case .tag = event { return }
            start = nil
            return
        }
        let jump = player.jump(to: seconds)
        guard let start, player.phase == .playing, let jump, abs(jump) <= 5 else {
            start = PlayerTimeline.Position(seconds: seconds, at: player.time)
            count = 0
            return
        }
        count += 1
        guard count >= 10 else { return }
        findings.run()
        let (advance, passed) = (seconds - start.seconds, player.time - start.at)
        if passed >= 5, advance < passed / 2 || advance > passed * 2 {
            findings.find("the playhead advances by \(number(advance)) s in \(number(passed)) s")
        }
        self.start = PlayerTimeline.Position(seconds: seconds, at: player.time)
        count = 0
    }
}
