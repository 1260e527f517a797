import NielsenID3
import PlayerSession
import StreamHealth

/// `tag.channel`: tags on another channel have other content ids.
struct TagChannel: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("tag.channel"), worst: .fail,
        notRun: "The log has no tags on two channels: change the channel.",
        expectation: "Tags on another channel have other content ids",
        title: "The tags do not change with the channel",
        meaning: """
            The content ids say who distributes the program. Those of the channel before credit the wrong one.
            """,
        appearance: """
            The first tag after a change of channelName has the content ids of the last tag before.
            """,
        cause: """
            The app changes the name before the player changes the stream, or names the channel wrongly.
            """,
        action: """
            Call `stop`, change the stream, and then call `play` with the name of the new channel.
            """,
        source: "field practice")

    private var before: NielsenTag?
    private var isChanged = false

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        switch event {
        case .play(let metadata), .load(let metadata):
            guard let old = player.channel, let new = metadata.text("channelname"), old != new else { return }
            before = player.lastTag?.tag
            isChanged = before != nil
        case .tag(let tag) where tag.hasContent && isChanged:
            isChanged = false
            findings.run()
            if tag.pcCID == before?.pcCID, tag.fdCID == before?.fdCID {
                findings.find("the tag has the content ids of the channel before")
            }
        default: break
        }
    }
}
