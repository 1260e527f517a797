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

/// `playhead.interval`: a playhead comes as often as the market's guide asks, and never later than 5 s.
struct PlayheadInterval: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("playhead.interval"), worst: .fail,
        notRun: "The log has no two playheads in a row: play content for a minute.",
        expectation: "A playhead comes at the interval of the market, and never later than 5 s",
        title: "Playheads are too far apart",
        meaning: """
            Between two playheads that are too far apart the SDK counts nothing.
            """,
        appearance: """
            More than 5 s between two playheads of an asset while it plays, or eleven in a row that take more than one \
            and a half times as long as at the interval of the market. Without a market only the 5 s count.
            """,
        cause: """
            A timer that runs every 10 s, one that is stopped by the page, or a callback of the player that comes \
            more rarely than the guide asks.
            """,
        action: """
            Report the position every second (guide 002: every two), and `stop` or `pause` when playback is \
            interrupted.
            """,
        source: """
            guide 001, SDK Events (every second); guide 002, 5.4 playheadPosition (every two); guide 004, \
            playheadPosition (every second); the limit of 5 s: field practice
            """)

    /// The number of intervals that are judged together, so that a timer may be late now and then.
    private static let intervalCount = 10
    /// The time that these may take, as a multiple of the market's interval.
    private static let tolerance = 1.5

    /// The time of the first playhead in a row, and the number of playheads after it.
    private var start: Double?
    private var count = 0

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .playhead = event else {
            if case .tag = event { return }
            start = nil
            return
        }
        guard player.phase == .playing, let last = player.position else {
            start = player.time
            count = 0
            return
        }
        findings.run()
        let distance = player.time - max(last.at, player.phaseStart)
        if distance > 5 { findings.find("the playhead before is \(number(distance)) s older") }
        guard let start, distance <= 5 else {
            start = player.time
            count = 0
            return
        }
        count += 1
        guard count == Self.intervalCount else { return }
        judge(player.time - start, of: player, &findings)
        self.start = player.time
        count = 0
    }

    private func judge(_ seconds: Double, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard let market = player.market, let rule = MarketProfile.profile(of: market)?.playhead else {
            return
        }
        let mean = seconds / Double(Self.intervalCount)
        guard mean > Double(rule.interval) * Self.tolerance else { return }
        findings.find(
            "a playhead comes every \(number(mean)) s, expected \(rule.expectation) (\(rule.source))")
    }
}

/// `playhead.live`: the playhead of a live stream is Unix time.
struct PlayheadLive: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("playhead.live"), worst: .fail,
        notRun: "The log has no playhead of a live stream (length 0 or 86400): play one.",
        expectation: "The playhead of a live stream is Unix time",
        title: "The playhead of a live stream is not Unix time",
        meaning: """
            The position of a live stream says which minute of the broadcast is watched. A position in the player's \
            window says nothing.
            """,
        appearance: """
            A playhead below 1,000,000,000 while the length of the content is 0 or 86400.
            """,
        cause: """
            The position of the player is passed, which counts from the start of its window.
            """,
        action: """
            Pass the Unix time of the picture: the current one, or that of the position after a seek back.
            """,
        source: "guide 001, SDK Events; guide 004, playheadPosition")

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .playhead(let seconds) = event, player.isLive, !player.isAd else { return }
        findings.run()
        if seconds < 1_000_000_000 {
            findings.find("\(number(seconds)) is not the Unix time of a live picture")
        }
    }
}

/// `playhead.seek`: a seek of more than 30 s is announced by stop and loadMetadata.
struct PlayheadSeek: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("playhead.seek"), worst: .warn,
        notRun: "The log has no seek of more than 30 s: seek forward by 2 min, and back by 30 s.",
        expectation: "A seek of more than 30 s is announced by stop and loadMetadata",
        title: "A seek is not announced",
        meaning: """
            The SDK joins positions that follow each other. A jump without `stop` and `loadMetadata` may be counted \
            as watched.
            """,
        appearance: """
            A playhead more than 30 s from the position that the time since the one before explains.
            """,
        cause: """
            The player has an event for seeking that the integration ignores.
            """,
        action: """
            Call `stop` with the last position when a seek begins, and `loadMetadata` when playback continues.
            """,
        source: "field practice")

    private var isAnnounced = false

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        switch event {
        case .load, .end, .free: isAnnounced = true
        case .playhead(let seconds):
            defer { isAnnounced = false }
            guard let jump = player.jump(to: seconds), abs(jump) > 30,
                player.phase != .paused || abs(jump) > 30
            else { return }
            findings.run()
            if !isAnnounced {
                findings.find("the playhead jumps by \(number(jump)) s without stop and loadMetadata")
            }
        default: break
        }
    }
}

/// `playhead.value`: a playhead is a whole number of seconds, 0 or more.
struct PlayheadValue: FindingRule {
    static let declaration = CheckDeclaration(
        CheckID("playhead.value"), worst: .fail,
        notRun: "The log has no playhead: play content.",
        expectation: "A playhead is a whole number of seconds, 0 or more",
        title: "A playhead is not a whole number of seconds",
        meaning: """
            The SDK takes whole seconds. It drops a negative position, and misreads milliseconds.
            """,
        appearance: """
            The findings `playhead.invalid`, `playhead.milliseconds` and `value.type` of calls with a position.
            """,
        cause: """
            The position of the player is passed unchanged: as a fraction, in milliseconds, or as NaN before the \
            media is loaded.
            """,
        action: """
            Round the position to whole seconds, and report none before the media is loaded.
            """,
        source: "guide 001, SDK Events; guide 004, playheadPosition")

    static let sentences = [
        "playhead.invalid": "the playhead is not a number, or is negative",
        "playhead.milliseconds": "the playhead is in milliseconds",
        "value.type": "the playhead is not a whole number",
    ]

    static func applies(to call: EvaluatedCall) -> Bool {
        [.playheadPosition, .setPlayheadPosition, .pause, .stop, .end, .play, .trackEvent].contains(call.name)
    }
}

/// `interruption.background`: a video app reports nothing while it is in the background.
struct InterruptionBackground: CertificationRule {
    static let declaration = CheckDeclaration(
        CheckID("interruption.background"), worst: .fail,
        notRun: "The log has no background: send the app to the background for 5 s, and for 20 s.",
        expectation: "A video app reports nothing while it is in the background",
        title: "A video app reports playback in the background",
        meaning: """
            The picture is not visible. Audio may continue, and then the app does not report the background.
            """,
        appearance: """
            A playhead, or the finding `tag.in-background`, between `appInBackground` and `appInForeground`.
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
        case .playhead where player.phase == .background: findings.find("a playhead comes in the background")
        case .tag where player.phase == .background: findings.find("a tag comes in the background")
        default: break
        }
    }
}

/// `interruption.resume`: a call resumes playback after an interruption.
struct InterruptionResume: FindingRule {
    static let declaration = CheckDeclaration(
        CheckID("interruption.resume"), worst: .warn,
        notRun: "The log has no interruption: pause for 30 s.",
        expectation: "A call resumes playback after an interruption",
        title: "Playback resumes without a call",
        meaning: """
            After `stop` the SDK counts no tag until `play`, `loadMetadata` or a playhead, so that what follows is lost.
            """,
        appearance: """
            The finding `tag.after-stop`.
            """,
        cause: """
            The integration handles the event for pausing, and not the one for resuming.
            """,
        action: """
            Call `loadMetadata` when playback resumes, and then report playheads.
            """,
        source: "guide 001, Interruptions during playback; guide 004, Stop/Resume the Measurement")

    static let sentences = [
        "tag.after-stop": "playback continues without a call that resumes it"
    ]

    static func applies(to call: EvaluatedCall) -> Bool {
        [.pause, .stop].contains(call.name) || call.has("tag.after-stop")
    }
}
