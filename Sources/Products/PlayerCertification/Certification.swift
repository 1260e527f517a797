import NielsenID3
public import PlayerSession
import Reporting
import StreamHealth

/// Applies the rules for players to the calls of a log, one call at a time.
///
///     var certification = Certification(of: "calls.jsonl")
///     certification.read(bytes)
///     print(certification.finish().status)
///
/// Memory depends on the number of sessions in the log, not on its length.
public struct Certification: Sendable {
    /// The choices of the user.
    public struct Options: Sendable, Hashable {
        /// The market whose rules apply; nil for that of the `sfcode` of the app.
        public var market: Market?
        /// The platform, which selects the guide of the market; nil if it is unknown.
        public var platform: Platform?
        /// The configuration of the sessions, such as the meaning of the app's keys.
        package var configuration = SessionConfiguration()

        /// Creates options without a choice.
        public init() {}
    }

    /// The rules and the state of one session of the log.
    fileprivate struct Player: Sendable {
        var timeline = PlayerTimeline()
        var matcher = StreamMatcher()
        var recorder: CallRecorder
        var rules = RuleRegistry.rules
    }

    /// The maximum number of viewing sessions with numbers of their own.
    private static let maximumStreamSessionCount = 10_000

    private let source: String
    private let options: Options
    private var reader = CertificationReader()
    private var evaluation: CallEvaluation
    private var players: [Player] = []
    /// The place of each session in `players`.
    private var places: [String: Int] = [:]
    private var findings = RuleFindings()
    private var market: Market?
    private var exercise = ExerciseSummary()
    /// Whether the log has null in place of values of a user who has opted out.
    private var hasWithheld = false
    private var pingCount = 0
    private var pageCount = 0
    /// The tags of the stream that the player played; nil without one.
    private let stream: StreamTags?
    /// Whether the report has the calls of each session, for a page.
    private let recordsCalls: Bool
    /// The comparison of each viewing session with the stream.
    private var streamSessions: [StreamSession] = []

    /// Creates the certification of a log that is read from its start.
    ///
    /// - Parameters:
    ///   - source: the name of the log in the report.
    ///   - options: the market and the platform.
    public init(of source: String, options: Options = Options()) {
        self.init(of: source, options: options, against: nil)
    }

    /// Creates the certification of a log.
    ///
    /// - Parameters:
    ///   - source: the log as given by the user.
    ///   - stream: the tags of the stream that the player played; nil to compare with none.
    package init(
        of source: String, options: Options = Options(), against stream: StreamTags?,
        recordsCalls: Bool = false
    ) {
        self.source = source
        self.options = options
        self.stream = stream
        self.recordsCalls = recordsCalls
        market = options.market
        evaluation = CallEvaluation(
            market: options.market, platform: options.platform, configuration: options.configuration)
    }

    /// Applies the rules to the calls in the next bytes of the log, which may end anywhere.
    ///
    /// The log is that of `dtvr certify`: JSON lines of calls or of records, addresses of pings, a HAR file, or the
    /// JSON vars of an AMP page.
    public mutating func read(_ bytes: [UInt8]) {
        var lines: [CallLogLine] = []
        reader.read(bytes) { lines.append($0) }
        for line in lines { observe(line) }
    }

    /// Applies the rules to the next line.
    package mutating func observe(_ line: CallLogLine) {
        switch line.content {
        case .address(let address):
            // A list or an archive also has the addresses of other requests.
            guard let ping = Ping(address) else { return }
            pingCount += 1
            if market == nil { market = ping.facility.flatMap { Self.market(of: $0) } }
            judge(line, "ping", RuleRegistry.ofPings) { rule, player, findings in
                rule.observe(ping, of: player, &findings)
            }
        case .page(let vars):
            pageCount += 1
            // No other market has a guide for pages.
            if market == nil { market = .it }
            judge(line, "vars", RuleRegistry.ofPages) { rule, player, findings in
                rule.observe(page: vars, of: player, &findings)
            }
        case .call, .unreadable: observe(evaluation.evaluate(line), line)
        }
    }

    /// Applies the rules to a line that is not a call.
    private mutating func judge(
        _ line: CallLogLine, _ name: String, _ rules: [Int],
        _ body: (inout any CertificationRule, PlayerTimeline, inout RuleFindings) -> Void
    ) {
        let hasRoom = players.count < CallEvaluation.maximumSessionCount || places[line.instance] != nil
        let player = place(of: hasRoom ? line.instance : "")
        players[player].timeline.time = max(players[player].timeline.time, line.at)
        players[player].timeline.market = market
        findings.place = Finding.Place()
        findings.place.call = Finding.CallPlace(
            line: line.number, at: line.at, instance: line.instance, name: name, viewing: nil, playhead: nil)
        players[player].judge(rules, &findings, body)
    }

    /// Returns the place of a session in `players`, which gets the session if it is new.
    private mutating func place(of instance: String) -> Int {
        if let place = places[instance] { return place }
        places[instance] = players.count
        players.append(Player(recorder: CallRecorder(instance: instance)))
        return players.count - 1
    }

    /// Applies the rules to a call, or to an unreadable line.
    private mutating func observe(_ call: EvaluatedCall, _ line: CallLogLine) {
        // Lines that belong to no session are judged as those of the first.
        let player = place(of: call.result.outcome == .unreadable ? "" : line.instance)
        adoptMarket(of: call)
        players[player].timeline.time = max(players[player].timeline.time, line.at)
        players[player].timeline.market = market
        findings.place = Self.place(of: call, in: players[player].timeline)
        if let isOut = line.isOptedOut, isOut != players[player].timeline.isOptedOut {
            // No call of the player, so no rule judges it.
            compare(.choose(isOut: isOut), of: player, call)
            players[player].timeline.follow(.choose(isOut: isOut))
        }
        players[player].judge(RuleRegistry.ofCalls, &findings) { rule, timeline, findings in
            rule.observe(call, of: timeline, &findings)
        }
        findings.findOthers(of: call)
        if call.isWithheld { hasWithheld = true }
        exercise.add(call)
        players[player].timeline.follow(call)
        players[player].timeline.returnToContent(before: call)
        for event in call.events {
            players[player].judge(RuleRegistry.ofEvents, &findings) { rule, timeline, findings in
                rule.observe(event, of: timeline, &findings)
            }
            exercise.add(event, players[player].timeline)
            compare(event, of: player, call)
            if recordsCalls { players[player].record(event) }
            players[player].timeline.follow(event)
        }
        if recordsCalls { players[player].record(call) }
    }

    /// Compares an event with the stream.
    private mutating func compare(_ event: PlayerEvent, of player: Int, _ call: EvaluatedCall) {
        guard let stream else { return }
        let timeline = players[player].timeline
        let matches: [StreamMatch]
        var isTag = false
        switch event {
        case .tag(let tag):
            isTag = true
            // The finding of the session says that it is a duplicate.
            matches =
                call.has("tag.repeat")
                ? [] : players[player].matcher.match(tag, at: findings.place, of: timeline, in: stream)
        case .playhead(let seconds):
            let jump = timeline.isAd ? nil : timeline.jump(to: seconds)
            matches =
                jump.map { abs($0) > 5 } ?? false
                ? players[player].matcher.end(findings.place, timeline, stream) : []
        case .end, .free, .background, .choose:
            matches = players[player].matcher.end(findings.place, timeline, stream)
        default: matches = []
        }
        record(matches, isTag: isTag, of: player, call.line.instance, call.viewing)
    }

    /// Counts the matches of a viewing session, and judges them.
    private mutating func record(
        _ matches: [StreamMatch], isTag: Bool, of player: Int, _ instance: String, _ viewing: Int
    ) {
        guard isTag || !matches.isEmpty else { return }
        let known = streamSessions.lastIndex { $0.instance == instance && $0.viewing == viewing }
        if known == nil, streamSessions.count < Self.maximumStreamSessionCount {
            streamSessions.append(StreamSession(instance: instance, viewing: viewing))
        }
        // The last one has the numbers of those beyond the maximum, too.
        let index = known ?? streamSessions.count - 1
        if isTag { streamSessions[index].handed += 1 }
        for match in matches {
            streamSessions[index].add(match)
            players[player].judge(RuleRegistry.ofMatches, &findings) { rule, timeline, findings in
                rule.observe(match, of: timeline, &findings)
            }
        }
    }

    private mutating func adoptMarket(of call: EvaluatedCall) {
        for case .initialize(let app) in call.events where options.market == nil {
            if let code = app.text("sfcode")?.lowercased(), let known = Self.market(of: code) {
                market = known
            }
        }
    }

    /// Returns the market of a collection facility; nil for an unknown one.
    private static func market(of facility: String) -> Market? {
        Market(rawValue: facility) ?? MarketProfile.profile(of: facility).market
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

    /// Returns the report on the whole log; nothing can be read afterwards.
    public mutating func finish() -> CertificationReport {
        var lines: [CallLogLine] = []
        reader.finish { lines.append($0) }
        for line in lines { observe(line) }
        let sessions = places.sorted { $0.key < $1.key }
        for (key, player) in sessions {
            if let stream {
                let viewing = streamSessions.last { $0.instance == key }?.viewing ?? 0
                let timeline = players[player].timeline
                let matches = players[player].matcher.end(findings.place, timeline, stream)
                record(matches, isTag: false, of: player, key, viewing)
            }
        }
        let outcomes = RuleRegistry.declarations.map { rule in
            let reason =
                rule.isOfMarket && market == nil
                ? "The market is unknown: no app has a known sfcode, no ping a known host. Add --market."
                : nil
            return findings.outcome(of: rule, notApplied: reason, isWithheld: hasWithheld)
        }
        return CertificationReport(
            source: source, outcomes: outcomes, summary: evaluation.summary, market: market,
            platform: options.platform, exercise: exercise, pingCount: pingCount, pageCount: pageCount,
            isWithheld: hasWithheld,
            comparison: stream.map { StreamComparison($0, sessions: streamSessions) },
            tracks: sessions.map { players[$0.value].recorder.finish() })
    }
}

extension Certification.Player {
    /// Calls `body` with the rules at these places of the registry.
    fileprivate mutating func judge(
        _ places: [Int], _ findings: inout RuleFindings,
        _ body: (inout any CertificationRule, PlayerTimeline, inout RuleFindings) -> Void
    ) {
        // Copied and checked for uniqueness once, not for each rule.
        let timeline = timeline
        var rules = rules.mutableSpan
        for place in places {
            findings.begin(place)
            body(&rules[place], timeline, &findings)
        }
    }

    fileprivate mutating func record(_ event: PlayerEvent) { recorder.record(event, timeline) }

    fileprivate mutating func record(_ call: EvaluatedCall) { recorder.record(call, timeline) }
}
