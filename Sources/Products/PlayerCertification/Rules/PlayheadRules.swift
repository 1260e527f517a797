import NielsenID3
import PlayerSession
import StreamHealth

/// `playhead.advance`: the playhead advances by the time that passes.
struct PlayheadAdvance: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("playhead.advance"), on: [.playback], worst: .fail,
        notRun: "The log has no ten playheads in a row: play content for a minute.",
        expectation: "The playhead advances by the time that passes",
        title: "The playhead does not advance with time",
        meaning: """
            The SDK counts the different seconds that the app reports. A position that stands still, or runs at \
            another speed, is credited wrongly.
            """,
        appearance: """
            Over ten playheads without a seek the position advances by less than half or by more than twice the time \
            that passed, or each of ten playheads jumps forward by more than 5 s, or it is the same for more than 15 \
            s. A shorter stall, as during buffering, is left out.
            """,
        cause: """
            The position of another player object, a position in milliseconds below the limit, or one that is \
            rounded to minutes.
            """,
        action: """
            Report the position of the player that is on the screen, in seconds.
            """,
        source: "guide 001, SDK Events; guide 004, playheadPosition (increments only by 1)")

    /// The shortest time without an advance that is a stall, and the longest one that is allowed, in seconds.
    private static let stall = 3.0...15.0

    /// The number of playheads in a row, each after a jump forward, that a seek does not explain.
    private static let longestSeekCount = 10

    /// The number of playheads in a row after a jump forward.
    private var jumpCount = 0
    /// The first playhead of the row.
    private var start: (seconds: Double, at: Double)?
    private var count = 0
    /// The last position, and the time at which it was first reported.
    private var last: (seconds: Double, since: Double)?
    /// The longest time of the row without an advance, in seconds.
    private var longestStall = 0.0

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .playhead(let seconds?) = event, !player.isPage else {
            if case .tag = event { return }
            (start, last) = (nil, nil)
            return
        }
        let jump = player.jump(to: seconds)
        if player.phase == .playing, let jump, jump > 5 {
            jumpCount += 1
            // Each playhead seems to be a seek.
            if jumpCount == Self.longestSeekCount {
                findings.run()
                findings.find(
                    "each of \(jumpCount) playheads jumps forward, the last one by \(number(jump)) s")
            }
        } else {
            jumpCount = 0
        }
        guard let start, player.phase == .playing, let jump, abs(jump) <= 5 else {
            last = (seconds, player.time)
            return restart(seconds, player)
        }
        let stall = follow(seconds, player)
        longestStall = max(longestStall, stall)
        if stall > Self.stall.upperBound {
            findings.run()
            findings.find("the playhead stands still for \(number(stall)) s")
            last = (seconds, player.time)
            return restart(seconds, player)
        }
        count += 1
        guard count >= 10 else { return }
        findings.run()
        let (advance, passed) = (seconds - start.seconds, player.time - start.at)
        // Buffering needs no `stop` (guides 001 and 004, interruptions).
        let played = passed - (longestStall < Self.stall.lowerBound ? 0 : longestStall)
        if passed >= 5, advance < played / 2 || advance > passed * 2 {
            findings.find(
                "over \(count) playheads without a seek, the position advances by \(number(advance)) s while "
                    + "\(number(passed)) s pass: half of that to twice as much is normal")
        }
        restart(seconds, player)
    }

    /// Follows a playhead, and returns for how long the position has been the same, in seconds.
    private mutating func follow(_ seconds: Double, _ player: PlayerTimeline) -> Double {
        guard let last, last.seconds == seconds else {
            last = (seconds, player.time)
            return 0
        }
        return player.time - last.since
    }

    private mutating func restart(_ seconds: Double, _ player: PlayerTimeline) {
        (start, count, longestStall) = ((seconds, player.time), 0, 0)
    }
}

/// `playhead.interval`: a playhead comes as often as the market's guide asks, and never later than 5 s.
struct PlayheadInterval: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("playhead.interval"), on: [.call, .playback], worst: .fail,
        notRun: "The log has no two playheads in a row: play content for a minute.",
        expectation: "A playhead comes at the interval of the market, and never later than 5 s",
        title: "Playheads are too far apart",
        meaning: """
            Between two playheads that are too far apart the SDK counts nothing.
            """,
        appearance: """
            More than 5 s between two playheads of an asset while it plays, or eleven in a row that take more than one \
            and a half times as long as at the interval of the market. Where that is a second, up to 3 s are a \
            warning, but not in Norway. Without a market only the 5 s count. Up to 30 s in which the position does not \
            advance are buffering.
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
            guide 001, SDK Events (every second) and Interruptions during playback; guide 002, 5.4 playheadPosition \
            (every two); guide 004, playheadPosition (every second); the limits of 5 and 30 s: field practice
            """)

    /// The number of intervals that are judged together, so that a timer may be late now and then.
    private static let intervalCount = 10
    /// The time that these may take, as a multiple of the market's interval.
    private static let tolerance = 1.5
    /// The longest time without a playhead, and the longest one while the player buffers, in seconds.
    private static let (longest, longestStall) = (5.0, 30.0)

    /// The time of the first playhead in a row, and the number of playheads after it.
    private var start: Double?
    private var count = 0
    /// Whether the row began after a time without playheads that may have been buffering.
    private var isAfterStall = false
    /// Whether the session counts the time before the call as a pause.
    private var isAfterPause = false

    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        isAfterPause = call.has("playhead.gap")
    }

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .playhead(let seconds) = event, !player.isPage else {
            if case .tag = event { return }
            start = nil
            return
        }
        guard player.phase == .playing, let last = player.position, !isAfterPause else {
            return restart(player)
        }
        findings.run()
        let distance = player.time - max(last.at, player.phaseStart)
        guard let start, distance <= Self.longest else {
            if distance > Self.longest {
                let isStall = distance <= Self.longestStall && isStall(to: seconds, from: last, player)
                if !isStall { findings.find("the playhead before is \(number(distance)) s older") }
                restart(player, isAfterStall: isStall)
            } else {
                restart(player)
            }
            return
        }
        count += 1
        guard count == Self.intervalCount else { return }
        judge(player.time - start, of: player, &findings)
        restart(player)
    }

    private mutating func restart(_ player: PlayerTimeline, isAfterStall: Bool = false) {
        (start, count, self.isAfterStall) = (player.time, 0, isAfterStall)
    }

    /// Whether the player may have buffered, which needs no `stop` (guides 001 and 004, interruptions).
    private func isStall(
        to seconds: Double?, from last: PlayerTimeline.Position, _ player: PlayerTimeline
    ) -> Bool {
        guard let seconds, let before = last.seconds, !player.isLive || player.isAd else {
            // A live stream may continue where the broadcast is; a timer is late again.
            return !isAfterStall
        }
        return (0...2).contains(seconds - before)
    }

    private func judge(_ seconds: Double, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard let market = player.market, let rule = MarketProfile.profile(of: market)?.playhead,
            let interval = rule.interval
        else { return }
        let mean = seconds / Double(Self.intervalCount)
        // Times of a log have rounding errors.
        guard mean > Double(interval) * Self.tolerance + 0.01 else { return }
        // Guide 002 asks for two seconds.
        let isUsual = mean <= 2 * Self.tolerance + 0.01 && market != .no
        findings.find(
            "a playhead comes every \(number(mean)) s, expected \(rule.expectation) (\(rule.source))",
            as: isUsual ? .warn : nil)
    }
}

/// `playhead.live`: the playhead of a live stream is Unix time.
struct PlayheadLive: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("playhead.live"), on: [.playback], worst: .fail,
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
        guard case .playhead(let seconds?) = event, player.isLive, !player.isAd, !player.isPage else {
            return
        }
        findings.run()
        if seconds < 1_000_000_000 {
            findings.find("\(number(seconds)) is not the Unix time of a live picture")
        }
    }
}

/// `playhead.seek`: a seek of more than 30 s is announced by stop and loadMetadata.
struct PlayheadSeek: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("playhead.seek"), on: [.playback], worst: .warn,
        notRun: "The log has no seek of more than 30 s: seek forward by 2 min, and back by 30 s.",
        expectation: "A seek of more than 30 s is announced by stop and loadMetadata",
        title: "A seek is not announced",
        meaning: """
            The SDK joins positions that follow each other. A jump without `stop` and `loadMetadata` may be counted \
            as watched.
            """,
        appearance: """
            A playhead more than 30 s before the last one, or more than 30 s after the position that the time since \
            then explains. A position that stands still is not a seek.
            """,
        cause: """
            The player has an event for seeking that the integration ignores.
            """,
        action: """
            Call `stop` with the last position when a seek begins, and `loadMetadata` when playback continues.
            """,
        source: "field practice")

    private var isAnnounced = false
    /// Whether the last playhead came after a seek.
    private var hasJumped = false

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        switch event {
        case .load, .end, .free: isAnnounced = true
        case .playhead(let seconds?):
            defer { isAnnounced = false }
            guard !player.isPage, let jump = seek(to: seconds, player) else {
                hasJumped = false
                return
            }
            // `playhead.advance` finds playheads that all jump.
            defer { hasJumped = true }
            findings.run()
            if !isAnnounced, !hasJumped {
                findings.find("the playhead jumps by \(number(jump)) s without stop and loadMetadata")
            }
        default: break
        }
    }

    /// Returns the distance of a seek; nil if playback has continued, or stood still.
    private func seek(to seconds: Double, _ player: PlayerTimeline) -> Double? {
        guard let position = player.position, let last = position.seconds, let jump = player.jump(to: seconds)
        else { return nil }
        if last - seconds > 30 { return seconds - last }
        // A live stream continues after an interruption where the broadcast is.
        let passed = player.isLive && !player.isAd ? player.time - position.at : 0
        return min(jump, seconds - last - passed) > 30 ? jump : nil
    }
}

extension FindingRule {
    /// `playhead.value`: a playhead is a whole number of seconds, 0 or more.
    static let playheadValue = FindingRule(
        declaration: CheckDeclaration(
            CheckID("playhead.value"), on: [.call], worst: .fail,
            notRun: "The log has no playhead: play content.",
            expectation: "A playhead is a whole number of seconds, 0 or more",
            title: "A playhead is not a whole number of seconds",
            meaning: """
                The SDK takes whole seconds. It drops a negative position, and misreads milliseconds.
                """,
            appearance: """
                The findings `playhead.invalid`, `playhead.milliseconds` and `value.type` of calls with a position. \
                In `trackEvent` guide 003 prints milliseconds.
                """,
            cause: """
                The position of the player is passed unchanged: as a fraction, in milliseconds, or as NaN before the \
                media is loaded.
                """,
            action: """
                Round the position to whole seconds, and report none before the media is loaded.
                """,
            source: "guide 001, SDK Events; guide 004, playheadPosition"),
        sentences: [
            "playhead.invalid": "the playhead is not a number, or is negative",
            "playhead.milliseconds": "the playhead is in milliseconds",
            "value.type": "the playhead is not a whole number",
        ],
        judges: { finding, _ in finding.isOfPlayhead },
        applies: { call in
            switch call.name {
            case .playheadPosition, .setPlayheadPosition, .pause, .stop, .end, .play, .trackEvent:
                !call.isWithheld
            default: false
            }
        })
}
