import NielsenID3
import PlayerSession
import StreamHealth

/// `order.calls`: every call is one of the guides, in a state in which they have it.
struct OrderCalls: FindingRule {
    static let declaration = CheckDeclaration(
        CheckID("order.calls"), worst: .warn,
        notRun: "The log has no call.",
        expectation: "Every call is one of the guides, in a state in which they have it",
        title: "A call is unknown, or comes in the wrong state",
        meaning: """
            The SDK ignores such a call, so that the app relies on something that does not happen.
            """,
        appearance: """
            The findings `call.unknown`, `call.out-of-order`, `play.heartbeat` and `not.measured`.
            """,
        cause: """
            `stop` when nothing plays, `play` as a timer, or a name that the guides do not have.
            """,
        action: """
            Compare the calls with the sequence in the guide.
            """,
        source: "guide 001, Life cycle of SDK instance; guide 002, 5.4.3")

    static let sentences = [
        "call.unknown": "the call is unknown",
        "call.out-of-order": "the call does not fit the state of playback",
        "play.heartbeat": "play is called again during playback",
        "queue.overflow": "too many calls waited for the configuration",
        "not.measured": "the content of the call is not kept",
    ]

    static func applies(to call: EvaluatedCall) -> Bool {
        call.result.outcome != .unreadable && call.result.outcome != .discarded
    }
}

/// `order.constant-metadata`: the metadata of the content stays the same until it ends, advertisements included.
struct OrderConstantMetadata: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("order.constant-metadata"), worst: .fail,
        notRun: "The log loads no content twice: play content with an advertisement in the middle.",
        expectation: "The metadata of the content stays the same until it ends, advertisements included",
        title: "The metadata of the content changes while it plays",
        meaning: """
            The parts of an episode between its advertisements are joined by their metadata. A difference makes them \
            different episodes.
            """,
        appearance: """
            `loadMetadata` with the same assetid and other values, before `end`.
            """,
        cause: """
            The app builds the object again after an advertisement, with the title of the page or the current time.
            """,
        action: """
            Keep the object of the content, and pass it again unchanged.
            """,
        source: "guide 001, Create Content Metadata; guide 004, Create Content Metadata")

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .load(let metadata) = event, PlayerTimeline.isSame(player.content, metadata),
            let content = player.content
        else { return }
        findings.run()
        let keys = Set((content.members + metadata.members).map { $0.key.lowercased() })
        let changed = keys.filter { content[$0] != metadata[$0] }.sorted()
        if !changed.isEmpty {
            findings.find(
                "these keys of the content have changed: \(changed.prefix(8).joined(separator: ", "))")
        }
    }
}

/// `order.content-first`: the metadata of the content comes before its tags, and before a preroll.
struct OrderContentFirst: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("order.content-first"), worst: .fail,
        notRun: "The log has no tag, playhead or preroll: play content.",
        expectation: "The metadata of the content comes before its tags, and before a preroll",
        title: "The metadata of the content comes too late",
        meaning: """
            A tag, a playhead or a preroll before the metadata of its content belongs to nothing that can be \
            credited.
            """,
        appearance: """
            The finding `metadata.missing`, or `loadMetadata` of a preroll as the first of a stream.
            """,
        cause: """
            The app loads the metadata when the picture appears, after the advertisement.
            """,
        action: """
            Call `loadMetadata` of the content directly after `play`, then that of the preroll.
            """,
        source: "guide 001, Sample API Sequence; guide 004, API Call Sequence")

    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        if call.has("metadata.missing"), !call.has("tag.after-end") {
            findings.run()
            findings.find("the first tag of a viewing session comes before any metadata")
        }
        // Each event of `trackEvent` has the metadata of the content.
        guard call.interface != .tracked, case .load(let metadata)? = call.events.first,
            PlayerTimeline.type(of: metadata) == .preroll
        else { return }
        findings.run()
        if player.content == nil { findings.find("a preroll is loaded before the metadata of the content") }
    }

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        switch event {
        case .tag where player.asset != nil, .playhead where player.asset != nil: findings.run()
        default: break
        }
    }
}

/// `order.final-playhead`: a final playhead comes before stop, end and loadMetadata.
struct OrderFinalPlayhead: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("order.final-playhead"), worst: .warn,
        notRun: "The log has no stop, end or next asset while something plays: play content to its end.",
        expectation: "A final playhead comes before stop, end and loadMetadata",
        title: "The final playhead is missing",
        meaning: """
            The seconds between the last playhead and the end of an asset are lost.
            """,
        appearance: """
            `stop`, `end` or `loadMetadata` of another asset more than 2.5 s after the last playhead, while playback \
            continues.
            """,
        cause: """
            The timer of the playhead is stopped before the end is reported.
            """,
        action: """
            Report the position again before `stop`, `end` and `loadMetadata`, or pass it with `stop` and `end`.
            """,
        source: "guide 001, SDK Events; guide 004, playheadPosition")

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        switch event {
        case .stop, .end: break
        case .load(let metadata) where !PlayerTimeline.isSame(player.asset, metadata): break
        default: return
        }
        guard player.phase == .playing, let position = player.position else { return }
        findings.run()
        let silence = player.time - position.at
        if silence > 2.5 { findings.find("the last playhead is \(number(silence)) s old") }
    }
}

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

/// `order.stop`: `stop` comes before each advertisement and after it.
struct OrderStop: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("order.stop"), worst: .fail,
        notRun: "The log has no advertisement after the start of content: play a midroll.",
        expectation: "`stop` comes before each advertisement and after it",
        title: "An asset is loaded without `stop`",
        meaning: """
            Without `stop` the SDK counts until the next call, so that the seconds of one asset go to the other.
            """,
        appearance: """
            `loadMetadata` of an advertisement while content plays, or of content while an advertisement plays.
            """,
        cause: """
            The player has no event for the begin or the end of an advertisement.
            """,
        action: """
            Call `stop` when content pauses for an advertisement, and at the end of each advertisement.
            """,
        source: "guide 001, Sequence of Calls; guide 003, Managing Ads")

    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        // `trackEvent` needs no stop.
        guard call.interface != .tracked, case .load(let metadata)? = call.events.first else { return }
        let isAd = PlayerTimeline.type(of: metadata)?.isAd ?? false
        guard player.isAd || isAd, player.position != nil, !PlayerTimeline.isSame(player.asset, metadata)
        else { return }
        findings.run()
        if player.phase == .playing {
            let kinds = [isAd, player.isAd].map { $0 ? "an advertisement" : "content" }
            findings.find("\(kinds[0]) is loaded while \(kinds[1]) plays")
        }
    }
}
