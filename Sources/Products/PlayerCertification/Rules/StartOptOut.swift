import NielsenID3
import PlayerSession
import StreamHealth

/// `start.opt-out`: a stored choice of the user is passed directly after init.
struct StartOptOut: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("start.opt-out"), worst: .warn,
        notRun:
            "The log has no choice of the user, or is not of Ireland: start the app as a user who has opted out.",
        expectation: "A stored choice of the user is passed directly after init",
        title: "The choice of the user comes too late",
        meaning: """
            Builds without ids, and those for Ireland, keep no choice themselves: the app passes it at each start. \
            Earlier calls are measured without it.
            """,
        appearance: """
            The first `userOptOut` comes after a call about playback.
            """,
        cause: """
            The app passes the choice when its page of settings opens.
            """,
        action: """
            Call `userOptOut` directly after `init`.
            """,
        source: "guide 004, Privacy and Opt-Out; guide 001, Global iOS SDK No ID Opt-out")

    static let isOfMarket = true

    private var hasPlayed = false
    private var isJudged = false

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        switch event {
        case .initialize: hasPlayed = false
        case .choose where player.market == .ire && !isJudged:
            isJudged = true
            findings.run()
            if hasPlayed { findings.find("userOptOut comes after the start of playback") }
        case .play, .load, .playhead, .tag: hasPlayed = true
        default: break
        }
    }
}
