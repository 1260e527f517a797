import NielsenID3
import PlayerSession
import StreamHealth

/// `order.resume`: content continues after an advertisement at the position where it was left.
struct OrderResume: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("order.resume"), on: [.playback], worst: .fail,
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
            left = isContinued ? player.contentPosition.flatMap(\.seconds) : nil
        case .playhead(let seconds?):
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

/// `order.stop`: `stop` comes after each advertisement, and before it where the guide asks for it.
struct OrderStop: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("order.stop"), on: [.call], worst: .fail,
        notRun: "The log has no advertisement after the start of content: play a midroll.",
        expectation: "`stop` comes after each advertisement; in Poland, also before it and before `end`",
        title: "An asset is loaded without `stop`",
        meaning: """
            Without `stop` the SDK counts until the next call, so that the seconds of one asset go to the other.
            """,
        appearance: """
            `loadMetadata` of content, or of another advertisement, while an advertisement plays. In Poland also \
            `loadMetadata` of an advertisement while content plays; and, as a warning, `end` while content plays that \
            had advertisements.
            """,
        cause: """
            The player has no event for the begin or the end of an advertisement.
            """,
        action: """
            Call `stop` at the end of each advertisement, and in Poland also when content pauses for one, and before \
            `end`.
            """,
        source: """
            guide 001, API Call Sequence; guide 004, API Call Sequence; guide 003, Managing Ads; guide 000, DCR Poland \
            Video iOS, Use Case 2
            """)

    /// Whether the stream has had an advertisement.
    private var hasAd = false

    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        if player.isAd { hasAd = true }
        // `trackEvent` needs no stop.
        guard call.interface != .tracked, player.position != nil else { return }
        switch call.events.first(where: { if case .playhead = $0 { false } else { true } }) {
        case .load(let metadata) where !PlayerTimeline.isSame(player.asset, metadata):
            let isAd = PlayerTimeline.type(of: metadata)?.isAd ?? false
            guard player.isAd || isAd && player.market == .pl else { return }
            findings.run()
            if player.phase == .playing {
                let kinds = [isAd, player.isAd].map { $0 ? "an advertisement" : "content" }
                findings.find("\(kinds[0]) is loaded while \(kinds[1]) plays")
            }
        case .end where player.market == .pl && !player.isAd && !player.isPage && hasAd:
            findings.run()
            if player.phase == .playing { findings.find("`end` comes without `stop`", as: .warn) }
            hasAd = false
        default: break
        }
    }
}

/// `playhead.ad-start`: an advertisement has playheads, which begin at 0.
struct PlayheadAdStart: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("playhead.ad-start"), on: [.playback], worst: .fail,
        notRun: "The log has no playhead of an advertisement: play one.",
        expectation: "An advertisement has playheads, which begin at 0",
        title: "The playhead of an advertisement does not begin at 0",
        meaning: """
            The seconds of an advertisement are its own. A position that continues that of the content is outside of \
            it.
            """,
        appearance: """
            The first playhead after `loadMetadata` of an advertisement is above 2, and does not continue the same \
            advertisement after an interruption. Or an advertisement of 2 s or more has no playhead.
            """,
        cause: """
            The position of the whole stream is passed, with inserted advertisements.
            """,
        action: """
            Count the position of each advertisement from 0.
            """,
        source: "guide 001, API Call Sequence; guide 004, API Call Sequence")

    /// The time at which the advertisement was loaded; nil once it has a playhead, or is over.
    private var loaded: Double?
    /// The position at which the advertisement was interrupted; nil if it was not.
    private var left: Double?

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        switch event {
        case .load(let metadata):
            close(player, &findings)
            let isAd = PlayerTimeline.type(of: metadata)?.isAd ?? false
            let isSame = isAd && PlayerTimeline.isSame(player.asset, metadata)
            left = isSame ? player.position.flatMap(\.seconds) ?? left : nil
            loaded = isAd ? player.time : nil
        case .playhead(let seconds?) where player.isAd && player.position == nil:
            loaded = nil
            findings.run()
            if seconds > 2, left.map({ abs(seconds - $0) > 10 }) ?? true {
                findings.find("the first playhead of the advertisement is \(number(seconds))")
            }
        case .stop, .end, .free: close(player, &findings)
        default: break
        }
    }

    /// Judges an advertisement that is over.
    private mutating func close(_ player: PlayerTimeline, _ findings: inout RuleFindings) {
        defer { loaded = nil }
        // One that is skipped at once has no playhead.
        guard let loaded, player.isAd, player.time - loaded >= 2 else { return }
        findings.run()
        findings.find("the advertisement has no playhead in \(number(player.time - loaded)) s")
    }
}
