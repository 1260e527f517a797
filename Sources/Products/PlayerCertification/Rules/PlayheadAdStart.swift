import NielsenID3
import PlayerSession
import StreamHealth

/// `playhead.ad-start`: the playhead of an advertisement begins at 0.
struct PlayheadAdStart: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("playhead.ad-start"), worst: .fail,
        notRun: "The log has no playhead of an advertisement: play one.",
        expectation: "The playhead of an advertisement begins at 0",
        title: "The playhead of an advertisement does not begin at 0",
        meaning: """
            The seconds of an advertisement are its own. A position that continues that of the content is outside of \
            it.
            """,
        appearance: """
            The first playhead after `loadMetadata` of an advertisement is above 5.
            """,
        cause: """
            The position of the whole stream is passed, with inserted advertisements.
            """,
        action: """
            Count the position of each advertisement from 0.
            """,
        source: "guide 001, API Call Sequence; guide 004, API Call Sequence")

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .playhead(let seconds) = event, player.isAd, player.position == nil else { return }
        findings.run()
        if seconds > 5 { findings.find("the first playhead of the advertisement is \(number(seconds))") }
    }
}
