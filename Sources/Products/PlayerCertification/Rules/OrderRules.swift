import NielsenID3
import PlayerSession
import StreamHealth

extension FindingRule {
    /// `order.calls`: every call is one of the guides, in a state in which they have it.
    static let orderCalls = FindingRule(
        declaration: CheckDeclaration(
            CheckID("order.calls"), on: [.call], worst: .warn,
            notRun: "The log has no call.",
            expectation: "Every call is one of the guides, in a state in which they have it",
            title: "A call is unknown, or comes in the wrong state",
            meaning: """
                The SDK ignores such a call, so that the app relies on something that does not happen.
                """,
            appearance: """
                The findings `call.unknown`, `call.out-of-order`, `play.heartbeat`, `playhead.gap` and `not.measured`, \
                and each finding of a call that no other rule is about.
                """,
            cause: """
                `stop` when nothing plays, `play` as a timer, or a name that the guides do not have.
                """,
            action: """
                Compare the calls with the sequence in the guide.
                """,
            source: "guide 001, Life cycle of SDK instance; guide 002, 5.4.3"),
        sentences: [
            "call.unknown": "the call is unknown",
            "call.out-of-order": "the call does not fit the state of playback",
            "play.heartbeat": "play is called again during playback",
            "playhead.gap": "more than 30 minutes without a call count as a pause",
            "queue.overflow": "too many calls waited for the configuration",
            "not.measured": "the content of the call is not kept",
        ],
        applies: { $0.result.outcome != .unreadable && $0.result.outcome != .discarded })
}

extension RuleFindings {
    /// The findings that a rule judges by the events before and after them, or that a seek explains.
    private static let judgedElsewhere: Set<String> = [
        "play.missing", "metadata.missing", "ad.not-closed", "tag.before-start", "tag.in-background",
        "tag.not-presented", "tag.quarantined", "playhead.backwards", "not.measured",
    ]

    /// Records the findings of a call that no rule has recorded, as those of `order.calls`.
    mutating func findOthers(of call: EvaluatedCall) {
        if call.result.details.isEmpty { return }
        let rule = FindingRule.orderCalls.declaration
        guard let index = RuleRegistry.declarations.firstIndex(where: { $0.id == rule.id }) else { return }
        begin(index)
        for finding in call.result.details
        where !recorded.contains(finding) && !Self.judgedElsewhere.contains(finding.id.rawValue) {
            find("\(finding.id)", of: finding, as: rule.worst)
        }
    }
}

/// `order.constant-metadata`: the metadata of the content stays the same until it ends, advertisements included.
struct OrderConstantMetadata: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("order.constant-metadata"), on: [.playback], worst: .fail,
        notRun: "The log loads no content twice: play content with an advertisement in the middle.",
        expectation: "The metadata of the content stays the same until it ends, advertisements included",
        title: "The metadata of the content changes while it plays",
        meaning: """
            The parts of an episode between its advertisements are joined by their metadata. A difference makes them \
            different episodes.
            """,
        appearance: """
            `loadMetadata` with the same assetid and other values, before `end`. Another channelName for the same \
            content is a warning.
            """,
        cause: """
            The app builds the object again after an advertisement, with the title of the page or the current time.
            """,
        action: """
            Keep the object of the content, and pass it again unchanged.
            """,
        source: """
            guide 001, Create channelName Metadata and Create Content Metadata; guide 004, Create channelName Metadata \
            and Create Content Metadata
            """)

    /// The content that played when the name of the channel changed; nil once it is over, or other content plays.
    private var ofOtherChannel: Metadata?

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        switch event {
        // After `stop`, another channel is another stream (guide 002, 5.4 stop).
        case .play(let information) where player.phase != .stopped: follow(information, player)
        case .load(let metadata):
            follow(metadata, player)
            if let before = ofOtherChannel, PlayerTimeline.isSame(before, metadata) {
                findings.run()
                findings.find("the name of the channel has changed within the episode", as: .warn)
            }
            if PlayerTimeline.type(of: metadata)?.isAd != true { ofOtherChannel = nil }
            compare(metadata, player, &findings)
        case .end, .free: ofOtherChannel = nil
        default: break
        }
    }

    private mutating func follow(_ information: Metadata, _ player: PlayerTimeline) {
        guard let old = player.channel, let new = information.text("channelname"), old != new else { return }
        ofOtherChannel = player.content
    }

    private func compare(_ metadata: Metadata, _ player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard let content = player.content, PlayerTimeline.isSame(content, metadata) else { return }
        findings.run()
        let keys = Set((content.members + metadata.members).map { $0.key.lowercased() })
        // The name of the channel has a separate warning.
        let changed = keys.filter { $0 != "channelname" && content[$0] != metadata[$0] }.sorted()
        if !changed.isEmpty {
            findings.find(
                "these keys of the content have changed: \(changed.prefix(8).joined(separator: ", "))")
        }
    }
}

/// `order.content-first`: the metadata of the content comes before its tags, and before a preroll.
struct OrderContentFirst: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("order.content-first"), on: [.call, .playback], worst: .fail,
        notRun: "The log has no tag, playhead or preroll: play content.",
        expectation: "The metadata of the content comes before its tags, and before a preroll",
        title: "The metadata of the content comes too late",
        meaning: """
            A tag, a playhead or a preroll before the metadata of its content belongs to nothing that can be \
            credited.
            """,
        appearance: """
            The finding `metadata.missing`, a playhead before any metadata, or `loadMetadata` of a preroll as the \
            first of a stream. In the United States, where content may have no metadata, the finding is a warning.
            """,
        cause: """
            The app loads the metadata when the picture appears, after the advertisement.
            """,
        action: """
            Call `loadMetadata` of the content directly after `play`, then that of the preroll.
            """,
        source: "guide 001, Sample API Sequence; guide 004, API Call Sequence; guide 002, 2.3")

    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        if call.has("metadata.missing"), !call.has("tag.after-end") {
            findMissing("the first tag of a viewing session comes before any metadata", player, &findings)
        }
        if !hasAsset, call.name == .playheadPosition || call.name == .setPlayheadPosition {
            findMissing("a playhead comes before any metadata", player, &findings)
        }
        // Each event of `trackEvent` has the metadata of the content.
        guard call.interface != .tracked, case .load(let metadata)? = call.events.first,
            PlayerTimeline.type(of: metadata) == .preroll
        else { return }
        findings.run()
        if player.content == nil { findings.find("a preroll is loaded before the metadata of the content") }
    }

    /// Whether metadata has come since the start of the stream, or its lack is known.
    private var hasAsset = false

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        switch event {
        case .tag where player.asset != nil, .playhead where player.asset != nil: findings.run()
        case .load, .loadWithheld: hasAsset = true
        case .end, .free: hasAsset = false
        default: break
        }
    }

    private mutating func findMissing(
        _ detail: String, _ player: PlayerTimeline, _ findings: inout RuleFindings
    ) {
        hasAsset = true
        findings.run()
        // Guide 002, 2.3: metadata is passed if the content supports it.
        let isOptional = player.market == .us || player.isEnabledAgain
        findings.find(detail, as: isOptional ? .warn : nil)
    }
}

/// `order.final-playhead`: a final playhead comes before stop, end and loadMetadata.
struct OrderFinalPlayhead: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("order.final-playhead"), on: [.call, .playback], worst: .warn,
        notRun: "The log has no stop, end or next asset while something plays: play content to its end.",
        expectation: "A final playhead comes before stop, end and loadMetadata",
        title: "The final playhead is missing",
        meaning: """
            The seconds between the last playhead and the end of an asset are lost.
            """,
        appearance: """
            `stop`, `end` or `loadMetadata` of another asset more than 2.5 s after the last playhead, while playback \
            continues. Or `stop` of a browser without a playhead.
            """,
        cause: """
            The timer of the playhead is stopped before the end is reported.
            """,
        action: """
            Report the position again before `stop`, `end` and `loadMetadata`, or pass it with `stop` and `end`.
            """,
        source:
            "guide 001, SDK Events; guide 004, playheadPosition; guide 000, DCR Italy Audio Browser, Events")

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        switch event {
        case .stop, .end: break
        case .load(let metadata) where !PlayerTimeline.isSame(player.asset, metadata): break
        default: return
        }
        guard player.phase == .playing, !player.isPage, let position = player.position else { return }
        findings.run()
        let silence = player.time - position.at
        // Guide 002 asks for a playhead every two seconds.
        if silence > (player.market == .us ? 3.5 : 2.5) {
            findings.find("the last playhead is \(number(silence)) s old")
        }
    }

    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard call.interface == .browser, call.name == .stop, !call.isWithheld else { return }
        findings.run()
        guard !call.events.contains(where: { if case .playhead = $0 { true } else { false } }) else { return }
        findings.find("`stop` is passed no playhead (guide 000, DCR Italy Audio Browser, Events)")
    }
}

/// `order.play`: `play` begins each stream.
struct OrderPlay: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("order.play"), on: [.call, .playback], worst: .fail,
        notRun:
            "The log has no viewing session of an app: play a channel. `ggPM` and `trackEvent` have no `play`.",
        expectation: "`play` begins each stream, and names the channel where the guide asks for it",
        title: "`play` is missing, or names no channel",
        meaning: """
            In the calls of apps `play` begins the viewing session, and its channelName says what is watched.
            """,
        appearance: """
            The finding `play.missing`, a playhead of a stream before any `play`, or, in the United States, a `play` \
            without channelName before any other has named the channel. The sequences of the other markets also print \
            a bare `play`.
            """,
        cause: """
            The app only loads metadata, or calls `play` for the first video alone.
            """,
        action: """
            Call `play` at the start of each stream, with channelName.
            """,
        source: "guide 001, play; guide 002, 3.4; guide 004, play")

    private var isStarted = false
    private var hasEnded = false
    /// Whether the call is one of an app.
    private var isOfApp = false

    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        isOfApp = call.interface == .app
        guard isOfApp else { return }
        if case .play(let channel)? = call.events.first {
            (isStarted, hasEnded) = (true, false)
            findings.run()
            // A log of a user who has opted out has the key without its value.
            let namesChannel = channel.members.contains { $0.key.lowercased() == "channelname" }
            if player.market == .us, !namesChannel, player.channel == nil {
                findings.find("play names no channel")
            }
        }
        if call.has("play.missing"), !call.has("tag.after-end") {
            // No guide asks for another `play` after `appDisableApi`.
            let status: CheckStatus? = isStarted && player.isEnabledAgain ? .warn : nil
            (isStarted, hasEnded) = (true, false)
            findings.run()
            findings.find("the first tag of a viewing session comes before any play", as: status)
        }
    }

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard isOfApp else { return }
        switch event {
        case .playhead(let seconds) where !isStarted && !player.isPage:
            // A postroll follows `end` without another `play`; without values, it may be one.
            if hasEnded, player.isAd || seconds == nil { break }
            (isStarted, hasEnded) = (true, false)
            findings.run()
            findings.find("a stream begins without play")
        case .end where !player.isPage: (isStarted, hasEnded) = (false, true)
        case .free: (isStarted, hasEnded) = (false, false)
        default: break
        }
    }
}
