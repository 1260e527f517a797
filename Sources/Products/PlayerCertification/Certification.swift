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
    private var players: [String: Player] = [:]
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
            judge(line, "ping") { rule, player, findings in rule.observe(ping, of: player, &findings) }
        case .page(let vars):
            pageCount += 1
            // No other market has a guide for pages.
            if market == nil { market = .it }
            judge(line, "vars") { rule, player, findings in rule.observe(page: vars, of: player, &findings) }
        case .call, .unreadable: observe(evaluation.evaluate(line), line)
        }
    }

    /// Applies the rules to a line that is not a call.
    private mutating func judge(
        _ line: CallLogLine, _ name: String,
        _ body: (inout any CertificationRule, PlayerTimeline, inout RuleFindings) -> Void
    ) {
        let hasRoom = players.count < CallEvaluation.maximumSessionCount || players[line.instance] != nil
        let instance = hasRoom ? line.instance : ""
        var player =
            players.removeValue(forKey: instance) ?? Player(recorder: CallRecorder(instance: instance))
        player.timeline.time = max(player.timeline.time, line.at)
        player.timeline.market = market
        findings.place = Finding.Place()
        findings.place.call = Finding.CallPlace(
            line: line.number, at: line.at, instance: line.instance, name: name, viewing: nil, playhead: nil)
        player.judge(&findings, body)
        players[instance] = player
    }

    /// Applies the rules to a call, or to an unreadable line.
    private mutating func observe(_ call: EvaluatedCall, _ line: CallLogLine) {
        // Lines that belong to no session are judged as those of the first.
        let instance = call.result.outcome == .unreadable ? "" : line.instance
        var player =
            players.removeValue(forKey: instance) ?? Player(recorder: CallRecorder(instance: instance))
        player.timeline.time = max(player.timeline.time, line.at)
        adoptMarket(of: call, &player.timeline)
        findings.place = Self.place(of: call, in: player.timeline)
        if let isOut = line.isOptedOut, isOut != player.timeline.isOptedOut {
            // No call of the player, so no rule judges it.
            compare(.choose(isOut: isOut), of: &player, call)
            player.timeline.follow(.choose(isOut: isOut))
        }
        player.judge(&findings) { rule, timeline, findings in rule.observe(call, of: timeline, &findings) }
        findings.findOthers(of: call)
        if call.isWithheld { hasWithheld = true }
        exercise.add(call)
        player.timeline.follow(call)
        player.timeline.returnToContent(before: call)
        for event in call.events {
            player.judge(&findings) { rule, timeline, findings in
                rule.observe(event, of: timeline, &findings)
            }
            exercise.add(event, player.timeline)
            compare(event, of: &player, call)
            if recordsCalls { player.recorder.record(event, player.timeline) }
            player.timeline.follow(event)
        }
        if recordsCalls { player.recorder.record(call, player.timeline) }
        players[instance] = player
    }

    /// Compares an event with the stream.
    private mutating func compare(_ event: PlayerEvent, of player: inout Player, _ call: EvaluatedCall) {
        guard let stream else { return }
        let matches: [StreamMatch]
        var isTag = false
        switch event {
        case .tag(let tag):
            isTag = true
            // The finding of the session says that it is a duplicate.
            matches =
                call.has("tag.repeat")
                ? [] : player.matcher.match(tag, at: findings.place, of: player.timeline, in: stream)
        case .playhead(let seconds):
            let jump = player.timeline.isAd ? nil : player.timeline.jump(to: seconds)
            matches =
                jump.map { abs($0) > 5 } ?? false
                ? player.matcher.end(findings.place, player.timeline, stream) : []
        case .end, .free, .background, .choose:
            matches = player.matcher.end(findings.place, player.timeline, stream)
        default: matches = []
        }
        record(matches, isTag: isTag, of: &player, call.line.instance, call.viewing)
    }

    /// Counts the matches of a viewing session, and judges them.
    private mutating func record(
        _ matches: [StreamMatch], isTag: Bool, of player: inout Player, _ instance: String, _ viewing: Int
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
            player.judge(&findings) { rule, timeline, findings in rule.observe(match, of: timeline, &findings)
            }
        }
    }

    private mutating func adoptMarket(of call: EvaluatedCall, _ timeline: inout PlayerTimeline) {
        for case .initialize(let app) in call.events where options.market == nil {
            if let code = app.text("sfcode")?.lowercased(), let known = Self.market(of: code) {
                market = known
            }
        }
        timeline.market = market
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
        for key in players.keys.sorted() {
            guard var player = players[key] else { continue }
            if let stream {
                let viewing = streamSessions.last { $0.instance == key }?.viewing ?? 0
                let matches = player.matcher.end(findings.place, player.timeline, stream)
                record(matches, isTag: false, of: &player, key, viewing)
            }
            player.judge(&findings) { rule, timeline, findings in rule.finish(timeline, &findings) }
            players[key] = player
        }
        let outcomes = RuleRegistry.rules.map { rule in
            let reason =
                rule.isOfMarket && market == nil
                ? "The market is unknown: no app has a known sfcode, no ping a known host. Add --market."
                : nil
            return findings.outcome(of: rule.declaration, notApplied: reason, isWithheld: hasWithheld)
        }
        return CertificationReport(
            source: source, outcomes: outcomes, summary: evaluation.summary, market: market,
            platform: options.platform, exercise: exercise, pingCount: pingCount, pageCount: pageCount,
            isWithheld: hasWithheld,
            comparison: stream.map { StreamComparison($0, sessions: streamSessions) },
            tracks: players.sorted { $0.key < $1.key }.map { $0.value.recorder.finish() })
    }
}

extension Certification.Player {
    /// Calls `body` with each rule.
    fileprivate mutating func judge(
        _ findings: inout RuleFindings,
        _ body: (inout any CertificationRule, PlayerTimeline, inout RuleFindings) -> Void
    ) {
        for index in rules.indices {
            findings.begin(index)
            body(&rules[index], timeline, &findings)
        }
    }
}

/// Collects the calls of a session for the plots of a page.
struct CallRecorder: Sendable {
    private var track: CallTrack
    /// The start and the title of the advertisement that plays; nil without one.
    private var advertisement: (start: Double, title: String)?
    /// The start and the title of the interruption that lasts; nil without one.
    private var interruption: (start: Double, title: String)?

    init(instance: String) { track = CallTrack(instance: instance) }

    /// Records a call that is neither a playhead nor a tag.
    mutating func record(_ call: EvaluatedCall, _ player: PlayerTimeline) {
        guard case .call(let name, _) = call.line.content else { return }
        switch call.name {
        case .playheadPosition, .setPlayheadPosition, .sendID3, .trackEvent: break
        default: track.addCall(name, at: player.time)
        }
    }

    /// Records an event, before the player's state follows it.
    mutating func record(_ event: PlayerEvent, _ player: PlayerTimeline) {
        let time = player.time
        switch event {
        case .playhead(let seconds):
            if let seconds { track.addPlayhead(seconds, at: time) }
            resume(at: time)
        case .tag: track.addTag(at: time)
        case .load(let metadata):
            endAdvertisement(at: time)
            resume(at: time)
            if PlayerTimeline.type(of: metadata)?.isAd == true {
                advertisement = (time, metadata.text("assetid") ?? metadata.text("type") ?? "advertisement")
            }
        case .play: resume(at: time)
        case .pause: interrupt(at: time, "pause")
        case .stop:
            endAdvertisement(at: time)
            interrupt(at: time, "stop")
        case .background:
            resume(at: time)
            interrupt(at: time, "background")
        case .foreground: resume(at: time)
        case .end, .free:
            endAdvertisement(at: time)
            resume(at: time)
        case .initialize, .loadWithheld, .update, .choose: break
        }
    }

    private mutating func interrupt(at time: Double, _ title: String) {
        if interruption == nil { interruption = (time, title) }
    }

    private mutating func resume(at time: Double) {
        // `stop` is not an interruption if the next asset is loaded at the same time.
        if let interruption, time > interruption.start {
            track.addInterruption(
                CallTrack.Span(start: interruption.start, end: time, title: interruption.title))
        }
        interruption = nil
    }

    private mutating func endAdvertisement(at time: Double) {
        if let advertisement {
            track.addAdvertisement(
                CallTrack.Span(start: advertisement.start, end: time, title: advertisement.title))
        }
        advertisement = nil
    }

    /// Returns the track; spans that last end with the last call.
    func finish() -> CallTrack {
        var ended = self
        ended.endAdvertisement(at: track.end)
        ended.resume(at: track.end)
        return ended.track
    }
}
