import NielsenID3
import PlayerSession
import StreamHealth

/// `interruption.background`: a video app reports nothing while it is in the background.
struct InterruptionBackground: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("interruption.background"), on: [.playback], worst: .fail,
        notRun: "The log has no background: send the app to the background for 5 s, and for 20 s.",
        expectation: "A video app reports nothing while it is in the background",
        title: "A video app reports playback in the background",
        meaning: """
            The picture is not visible. Audio may continue, and then the app does not report the background.
            """,
        appearance: """
            A playhead, or the finding `tag.in-background`, between `appInBackground` and `appInForeground`, unless \
            the content is audio.
            """,
        cause: """
            The timer of the playhead runs on, or the player loads segments in the background.
            """,
        action: """
            Stop the timer and call `stop` when the app leaves the foreground. An audio app continues without \
            `appInBackground`.
            """,
        source: "guide 001, Handling Foreground and Background states; guide 004, Stop/Resume the Measurement"
    )

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        switch event {
        case .background: findings.run()
        // Audio never is in this state.
        case .playhead where player.phase == .background: findings.find("a playhead comes in the background")
        case .tag where player.phase == .background: findings.find("a tag comes in the background")
        default: break
        }
    }
}

/// `interruption.resume`: a call resumes playback after an interruption.
struct InterruptionResume: CertificationRule {
    private static let ofSession = FindingRule(
        declaration: CheckDeclaration(
            CheckID("interruption.resume"), on: [.call], worst: .fail,
            notRun: "The log has no interruption: pause for 30 s.",
            expectation: "A call resumes playback after an interruption, or after an advertisement",
            title: "Playback resumes without a call",
            meaning: """
                After `stop` the SDK counts no tag until `play`, `loadMetadata` or a playhead, so that what follows is \
                lost. The playheads after an advertisement are credited to it until the content is loaded again.
                """,
            appearance: """
                A playhead after the `stop` of an advertisement, without `loadMetadata` of what plays. As a warning, \
                the finding `tag.after-stop`, or, where the guide asks for `loadMetadata`, a playhead of content after \
                `stop` without it.
                """,
            cause: """
                The integration handles the event for pausing, and not the one for resuming.
                """,
            action: """
                Call `loadMetadata` when playback resumes, and after each advertisement, and then report playheads.
                """,
            source: """
                guide 001, Interruptions during playback and API Call Sequence; guide 004, API Call Sequence and \
                Stop/Resume the Measurement; guide 000, DCR Poland Video iOS and DCR Italy Video iOS, Interruptions
                """),
        sentences: [
            "tag.after-stop": "playback continues without a call that resumes it"
        ],
        status: { _, _ in .warn },
        applies: { $0.name == .pause || $0.name == .stop || $0.has("tag.after-stop") })

    /// The markets whose guide resumes content with `loadMetadata`; elsewhere playheads alone resume it.
    private static let reloading: Set<Market> = [.no, .it, .pl]

    var declaration: CheckDeclaration { Self.ofSession.declaration }

    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        Self.ofSession.observe(call, of: player, &findings)
        guard call.interface != .tracked, player.phase == .stopped, !player.isPage,
            call.name == .playheadPosition || call.name == .setPlayheadPosition
        else { return }
        findings.run()
        if player.isAd {
            findings.find("a playhead follows the `stop` of an advertisement without loadMetadata")
        } else if player.asset != nil, let market = player.market, Self.reloading.contains(market) {
            findings.find("content continues after `stop` without loadMetadata", as: .warn)
        }
    }
}
