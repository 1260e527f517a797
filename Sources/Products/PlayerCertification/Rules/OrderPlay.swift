import NielsenID3
import PlayerSession
import StreamHealth

/// `order.play`: `play` names the channel before the first tag.
struct OrderPlay: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("order.play"), worst: .fail,
        notRun:
            "The log has no viewing session of an app: play a channel. `ggPM` and `trackEvent` have no `play`.",
        expectation: "`play` names the channel before the first tag",
        title: "`play` is missing, or names no channel",
        meaning: """
            In the calls of apps `play` begins the viewing session, and its channelName says what is watched.
            """,
        appearance: """
            The finding `play.missing`, or a `play` without channelName before any other has named the channel.
            """,
        cause: """
            The app only loads metadata, or calls `play` without its object.
            """,
        action: """
            Call `play` with channelName at the start of each stream.
            """,
        source: "guide 001, play; guide 002, 3.4; guide 004, play")

    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard call.interface == .app else { return }
        if call.name == .play { findings.run() }
        if call.has("play.missing"), !call.has("tag.after-end") {
            findings.run()
            findings.find("the first tag of a viewing session comes before any play")
        }
        if case .play(let channel)? = call.events.first, channel.text("channelname") == nil,
            player.channel == nil
        {
            findings.find("play names no channel")
        }
    }
}
