import NielsenID3
import PlayerSession
import StreamHealth
import TextForms

/// A rule for the calls of a player.
///
/// To add a rule, add it to a file of `Rules` and to `RuleRegistry`. `--list`, `--explain`, docs/players.md and the
/// reports follow from its declaration, which also names its events. A rule does not judge again a finding of the
/// session: such a rule is a `FindingRule`.
protocol CertificationRule: Sendable {
    /// The id, the events, the meaning, and the advice for an integrator.
    var declaration: CheckDeclaration { get }

    /// Judges a call, before its events.
    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings)

    /// Judges an event of playback, before the player's state follows it.
    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings)

    /// Judges the relation of a tag to the stream that the player played.
    mutating func observe(_ match: StreamMatch, of player: PlayerTimeline, _ findings: inout RuleFindings)

    /// Judges a ping that an SDK has sent.
    mutating func observe(_ ping: Ping, of player: PlayerTimeline, _ findings: inout RuleFindings)

    /// Judges the `vars` of an AMP page.
    mutating func observe(page: Metadata, of player: PlayerTimeline, _ findings: inout RuleFindings)
}

extension CertificationRule {
    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {}

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {}

    mutating func observe(_ match: StreamMatch, of player: PlayerTimeline, _ findings: inout RuleFindings) {}

    mutating func observe(_ ping: Ping, of player: PlayerTimeline, _ findings: inout RuleFindings) {}

    mutating func observe(page: Metadata, of player: PlayerTimeline, _ findings: inout RuleFindings) {}
}

/// A rule that some findings of the session violate.
final class FindingRule: CertificationRule {
    let declaration: CheckDeclaration
    /// The findings, and the sentence for each.
    private let sentences: [String: String]
    /// Returns whether the rule is about the subject of a finding.
    private let judges: @Sendable (PlayerFinding, EvaluatedCall) -> Bool
    /// Returns the status of a finding; nil for the worst of the rule.
    private let status: @Sendable (PlayerFinding, EvaluatedCall) -> CheckStatus?
    /// Returns whether the rule has something to judge in a call.
    private let applies: @Sendable (EvaluatedCall) -> Bool

    init(
        declaration: CheckDeclaration, sentences: [String: String],
        judges: @escaping @Sendable (PlayerFinding, EvaluatedCall) -> Bool = { finding, _ in !finding.isOfApp
        },
        status: @escaping @Sendable (PlayerFinding, EvaluatedCall) -> CheckStatus? = { _, _ in nil },
        applies: @escaping @Sendable (EvaluatedCall) -> Bool
    ) {
        self.declaration = declaration
        self.sentences = sentences
        self.judges = judges
        self.status = status
        self.applies = applies
    }

    func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard applies(call) else { return }
        findings.run()
        for finding in call.result.details where judges(finding, call) {
            guard let sentence = sentences[finding.id.rawValue] else { continue }
            findings.find(sentence, of: finding, as: status(finding, call) ?? declaration.worst)
        }
    }
}

extension EvaluatedCall {
    /// Returns whether the session found something in the call.
    func has(_ finding: String) -> Bool { result.details.contains { $0.id.rawValue == finding } }
}

/// The findings of the rules on one log.
struct RuleFindings: Sendable {
    private var ledger = CheckLedger(policy: HealthPolicy())
    /// The place of the rule in the registry.
    private var current = 0
    /// Whether each rule had something to judge.
    private var hasRun = [Bool](repeating: false, count: RuleRegistry.declarations.count)
    /// The findings of the session that rules have recorded for the call that is judged.
    private(set) var recorded: Set<PlayerFinding> = []
    /// The place of the call that is judged.
    var place = Finding.Place() {
        didSet { if !recorded.isEmpty { recorded.removeAll(keepingCapacity: true) } }
    }

    /// Begins the judgement of the rule at a place in the registry.
    mutating func begin(_ index: Int) { current = index }

    private var rule: CheckDeclaration { RuleRegistry.declarations[current] }

    /// Records that the rule has something to judge.
    mutating func run() {
        if hasRun[current] { return }
        hasRun[current] = true
        ledger.markRun(rule.id)
    }

    /// Records a violation of the rule at the call.
    ///
    /// - Parameters:
    ///   - status: the status of the violation; nil for the worst of the rule.
    ///   - place: another call at which to record it; nil for the current one.
    mutating func find(_ detail: String, as status: CheckStatus? = nil, at place: Finding.Place? = nil) {
        let rule = rule
        ledger.report(
            rule.id, Finding(status: status ?? rule.worst, place: place ?? self.place, detail: detail))
    }

    /// Records a finding of the session, with what it concerns.
    mutating func find(_ sentence: String, of finding: PlayerFinding, as status: CheckStatus) {
        recorded.insert(finding)
        find(
            sentence,
            Finding.Subject(
                key: finding.key, value: finding.value, expected: finding.expected, source: finding.source),
            as: status)
    }

    /// Records a violation by a key, a value or both.
    mutating func find(_ sentence: String, _ subject: Finding.Subject, as status: CheckStatus? = nil) {
        let rule = rule
        var detail = sentence
        if let key = subject.key { detail += ": " + PrintableText.of(key) }
        if let value = subject.value { detail += " `\(PrintableText.of(value))`" }
        if subject.key != nil || subject.value != nil, let expected = subject.expected {
            detail += ", expected \(expected)"
        }
        if let source = subject.source { detail += " (\(source))" }
        var found = Finding(status: status ?? rule.worst, place: place, detail: detail)
        found.subject = subject
        ledger.report(rule.id, found)
    }

    /// Records a violation of a market's table.
    mutating func find(_ sentence: String, of violation: MetadataViolation) {
        let value = violation.value?.scalarText.map { String($0.prefix(100)) }
        find(
            sentence,
            Finding.Subject(
                key: violation.key, value: value, expected: violation.expected, source: violation.source))
    }

    /// Returns the outcome of a rule.
    ///
    /// - Parameters:
    ///   - reason: the reason why the rule was not applied at all; nil if it was.
    ///   - isWithheld: whether the log has null in place of values that the rule may have judged.
    func outcome(
        of rule: CheckDeclaration, notApplied reason: String? = nil, isWithheld: Bool
    ) -> CheckOutcome {
        var outcome = ledger.outcome(of: rule, limit: nil)
        if let reason {
            outcome = CheckOutcome(id: rule.id, status: .notRun, reason: reason)
        } else if isWithheld, outcome.status == .notRun {
            outcome = CheckOutcome(
                id: rule.id, status: .notRun,
                reason: "Not judged: opted out. The log has no values of a user who has opted out.")
        }
        outcome.rule = rule
        return outcome
    }
}

extension CertificationRule {
    /// A number of seconds in a sentence.
    func number(_ seconds: Double) -> String { DecimalText.short(seconds) }

    /// A value of the app in a sentence, shortened.
    func shown(_ value: String) -> String { PrintableText.of(String(value.prefix(40))) }
}
