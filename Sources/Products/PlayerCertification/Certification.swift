import MarketProfiles
import NielsenID3
package import PlayerSession
import StreamHealth

/// Applies the rules for players to the calls of a log, one call at a time.
///
/// Memory depends on the number of sessions in the log, not on its length.
package struct Certification: Sendable {
    /// The choices of the user.
    package struct Options: Sendable, Hashable {
        /// The code of the market whose rules apply; nil for the `sfcode` of the app.
        package var market: String?
        /// The platform; nil if it is not known.
        package var platform: String?

        /// Creates options without a choice.
        package init() {}
    }

    /// The rules and the state of one session of the log.
    fileprivate struct Player: Sendable {
        var timeline = PlayerTimeline()
        var rules: [any CertificationRule] = RuleRegistry.rules.map { $0.init() }
    }

    /// The codes of the markets that have rules.
    package static let markets = ["us", "dcr", "ire", "no", "it", "pl"]
    /// The platforms of the guides.
    package static let platforms = ["ios", "android", "browser", "amp"]

    private let source: String
    private let options: Options
    private var evaluation: CallEvaluation
    private var players: [String: Player] = [:]
    private var findings = RuleFindings()
    private var market: String?
    private var exercise = ExerciseSummary()

    /// Creates the certification of a log.
    ///
    /// - Parameter source: the log as given by the user.
    package init(of source: String, options: Options = Options()) {
        self.source = source
        self.options = options
        market = options.market
        evaluation = CallEvaluation(facility: options.market)
    }

    /// Applies the rules to the next line, and returns its evaluated call.
    @discardableResult
    package mutating func observe(_ line: CallLogLine) -> EvaluatedCall {
        let call = evaluation.evaluate(line)
        // Lines that belong to no session are judged as those of the first.
        let instance = call.result.outcome == .unreadable ? "" : line.instance
        var player = players.removeValue(forKey: instance) ?? Player()
        player.timeline.time = max(player.timeline.time, line.at)
        adoptMarket(of: call, &player.timeline)
        findings.place = Self.place(of: call, in: player.timeline)
        player.judge(&findings) { rule, timeline, findings in
            rule.observe(call, of: timeline, &findings)
        }
        exercise.add(call)
        for event in call.events {
            player.judge(&findings) { rule, timeline, findings in
                rule.observe(event, of: timeline, &findings)
            }
            exercise.add(event, player.timeline)
            player.timeline.follow(event)
        }
        players[instance] = player
        return call
    }

    private mutating func adoptMarket(of call: EvaluatedCall, _ timeline: inout PlayerTimeline) {
        for case .initialize(let app) in call.events where options.market == nil {
            guard let facility = app.text("sfcode")?.lowercased() else { continue }
            let isKnown =
                Self.markets.contains(facility)
                || MarketProfile.all.contains { $0.facilities.contains(facility) }
            if isKnown { market = facility }
        }
        timeline.market = market
    }

    private static func place(of call: EvaluatedCall, in timeline: PlayerTimeline) -> Finding.Place {
        var name = ""
        if case .call(let given, _) = call.line.content { name = call.name?.rawValue ?? given }
        var place = Finding.Place()
        place.call = Finding.CallPlace(
            line: call.line.number, at: call.line.at, instance: call.line.instance, name: name,
            viewing: call.viewing > 0 ? call.viewing : nil, playhead: timeline.position?.seconds)
        return place
    }

    /// Returns the report on all lines so far.
    package mutating func finish() -> CertificationReport {
        for key in players.keys.sorted() {
            players[key]?.judge(&findings) { rule, timeline, findings in rule.finish(timeline, &findings) }
        }
        let outcomes = RuleRegistry.rules.map { rule in
            let reason =
                rule.isOfMarket && market == nil
                ? "The market is unknown: the app's information has no known sfcode. Add --market." : nil
            return findings.outcome(of: rule.declaration, notApplied: reason)
        }
        return CertificationReport(
            source: source, outcomes: outcomes, summary: evaluation.summary, market: market,
            platform: options.platform, exercise: exercise)
    }
}

extension Certification.Player {
    /// Calls `body` with each rule.
    fileprivate mutating func judge(
        _ findings: inout RuleFindings,
        _ body: (inout any CertificationRule, PlayerTimeline, inout RuleFindings) -> Void
    ) {
        for index in rules.indices {
            findings.begin(type(of: rules[index]).declaration)
            body(&rules[index], timeline, &findings)
        }
    }
}
