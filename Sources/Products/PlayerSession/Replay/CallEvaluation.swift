/// A call of a log, its result, and the events of playback that it reports.
package struct EvaluatedCall: Sendable {
    /// The line.
    package let line: CallLogLine
    /// The call, with the event of a `ggPM` call as its name; nil for an unreadable line and an unknown call.
    package let name: CallName?
    /// The interface of the call.
    package let interface: PlayerInterface
    /// The result of the call.
    package let result: CallResult
    /// The events of playback that the call reports, in order.
    package let events: [PlayerEvent]
    /// The number of viewing sessions so far.
    package let viewing: Int
    /// Whether the call has null in place of values, because the user has opted out.
    package let isWithheld: Bool
}

/// Evaluates the calls of a log with the logic of a session alone: without a buffer, a disk or a network.
package struct CallEvaluation: Sendable {
    private struct Player: Sendable {
        var machine: SessionMachine
        var tracked: TrackedAsset?
        /// The number of tags that came while the user had opted out.
        var optedOutTagCount = 0
    }

    /// The maximum number of sessions in a log; the lines of further ones are not evaluated.
    package static let maximumSessionCount = 1_000

    private var players: [Player] = []
    /// The place of each session in `players`.
    private var places: [String: Int] = [:]
    private let policy: SessionPolicy
    /// Whether the configuration asks for the tags of users who have opted out.
    private let sendsOptedOut: Bool
    private let clock = ReplayClock()
    private var callCount = 0
    private var unreadableCount = 0

    /// Creates an evaluation at the start of a log.
    ///
    /// - Parameters:
    ///   - market: the market whose rules apply; nil for that of the app.
    ///   - platform: the platform whose guide applies, if the market has one for it; nil if it is unknown.
    ///   - configuration: the configuration of the sessions.
    package init(
        market: Market? = nil, platform: Platform? = nil,
        configuration: SessionConfiguration = SessionConfiguration()
    ) {
        // The guides apply to a user who has opted out, too: nothing is stored here, and all of it is judged.
        policy = SessionPolicy(
            sendsOptedOut: true, names: configuration.names, facility: market?.rawValue, platform: platform)
        sendsOptedOut = configuration.sendsOptedOut
    }

    /// Evaluates the call of a line.
    package mutating func evaluate(_ line: CallLogLine) -> EvaluatedCall {
        clock.move(to: line.at)
        guard case .call(let name, let arguments) = line.content, let player = place(of: line.instance) else {
            unreadableCount += 1
            var result = CallResult()
            result.outcome = .unreadable
            return EvaluatedCall(
                line: line, name: nil, interface: .app, result: result, events: [], viewing: 0,
                isWithheld: false)
        }
        callCount += 1
        let call = SessionCall(named: name, arguments).parsed
        if let isOut = line.isOptedOut { _ = players[player].machine.choose(isOut: isOut) }
        let stored = players[player].machine.counts.stored
        var step = players[player].machine.handle(call, at: clock.sinceBoot)
        let isOptedOut = players[player].machine.choice.isOptedOut
        let counts = players[player].machine.counts
        let isWithheld = isOptedOut && call.hasNull
        if isOptedOut, !sendsOptedOut, counts.stored > stored {
            players[player].optedOutTagCount += counts.stored - stored
            step.result.outcome = .discarded
        }
        let events = PlayerEvent.events(
            of: call, after: &players[player].tracked, names: policy.names, isWithheld: isWithheld)
        let interface: PlayerInterface =
            switch call.name {
            case .ggPM: .browser
            case .trackEvent: .tracked
            default: .app
            }
        return EvaluatedCall(
            line: line, name: call.invokedName, interface: interface,
            result: step.result, events: events, viewing: counts.sessions, isWithheld: isWithheld)
    }

    /// Returns the place of a session in `players`, which gets the session if it is new; nil if there is no room.
    private mutating func place(of instance: String) -> Int? {
        if let place = places[instance] { return place }
        guard players.count < Self.maximumSessionCount else { return nil }
        places[instance] = players.count
        players.append(Player(machine: SessionMachine(policy: policy) { "" }))
        return players.count - 1
    }

    /// The summary of all calls so far.
    package var summary: ReplaySummary {
        var summary = ReplaySummary()
        summary.callCount = callCount
        summary.unreadableCount = unreadableCount
        for player in players {
            var counts = player.machine.counts
            counts.discard(player.optedOutTagCount)
            summary.counts.add(counts)
            summary.findings.merge(player.machine.findings, uniquingKeysWith: +)
        }
        return summary
    }
}
