import HLSPlaylist
import ID3v2
package import NielsenID3

/// The requirements of every check.
protocol HealthCheck: SendableMetatype {
    /// The description of the check, without the rule.
    static var declaration: CheckDeclaration { get }

    /// Whether the check needs only owner identifiers, so that it also runs on a list of identifiers.
    static var needsOnlyOwner: Bool { get }

    /// Returns the limit that the row states for a presentation of `duration` seconds.
    ///
    /// Returns nil if no finding is allowed.
    static func rowLimit(policy: HealthPolicy, duration: Double) -> CheckOutcome.Limit?
}

extension HealthCheck {
    static var id: CheckID { declaration.id }

    static var needsOnlyOwner: Bool { false }

    static func rowLimit(policy: HealthPolicy, duration: Double) -> CheckOutcome.Limit? {
        declaration.rowLimit.map { CheckOutcome.Limit(value: policy[$0], unit: $0.unit) }
    }
}

/// The result of checking one tag.
package enum CheckResult: Sendable, Hashable {
    /// There is nothing to check.
    case notRun
    /// The tag meets the expectation.
    case pass
    /// The tag violates the expectation; the text states what was found and what was expected.
    ///
    /// It is information if the status is `pass`.
    case violation(CheckStatus, String)

    var isViolation: Bool { if case .violation = self { true } else { false } }
}

/// A check of the position of a tag in its stream.
protocol PlacedTagCheck: HealthCheck {
    static func check(_ tag: TagOccurrence, in context: TagContext) -> CheckResult
}

/// The surroundings of a tag.
struct TagContext {
    let policy: HealthPolicy
    /// The segment during which the tag arrived; nil for tags after the last segment.
    let segment: SegmentContext?
    /// The time at which the tag was due; nil for recorded input.
    let wallTime: WallTime?
}

/// A check of a segment: its container and the tags in it.
protocol SegmentCheck: HealthCheck, Sendable {
    init()
    /// Checks the next segment, in reading order.
    mutating func check(_ content: CheckedSegment, into ledger: inout CheckLedger)
}

/// The content of one segment, as input of the segment checks.
struct CheckedSegment {
    /// The facts from the container of the segment.
    let facts: CarriageFacts
    /// The tags in the segment, without repeats.
    let tags: [PlacedTag]
    /// The malformed ranges in other owners' tags, with offsets from the start of the segment.
    let malformedOthers: CarriageFacts.Bounded<CarriageFacts.MalformedRange>
    /// The place of the segment, for findings.
    let place: Finding.Place

    /// Whether the segment is a transport stream.
    var isTransportStream: Bool {
        if case .transportStream = facts.container { true } else { false }
    }
}

/// A check of each DATA tag of a run against the previous tags of the run.
protocol RunCheck: HealthCheck, Sendable {
    init()
    /// Checks the next valid DATA tag of the run.
    mutating func check(_ tag: TagOccurrence, by policy: HealthPolicy) -> [CheckResult]

    /// Discards state that depends on the stream's clock, because the clock restarts.
    mutating func restart()

    /// Whether the last violation is still in progress and is not reported again.
    var isLasting: Bool { get }
}

extension RunCheck {
    static var needsOnlyOwner: Bool { true }

    mutating func restart() {}

    var isLasting: Bool { false }
}

/// A check of the content and completeness of a single tag.
///
/// Its rule belongs to `TagPolicy`, and was evaluated when the tag was read; the check has the texts for people.
protocol TagCheck: HealthCheck {
    /// The rule that determines the status.
    static var rule: TagRule { get }

    /// Returns what was found and what was expected, for a tag that violates the rule.
    static func detail(of tag: TagOccurrence, by policy: HealthPolicy) -> String

    /// Returns the violated check that causes a violation of this one, or nil if it has no such cause.
    static func cause(of tag: NielsenTag, among violated: Set<CheckID>) -> CheckID?
}

extension TagCheck {
    static var needsOnlyOwner: Bool { true }

    static func cause(of tag: NielsenTag, among violated: Set<CheckID>) -> CheckID? { nil }
}

extension CheckLedger {
    /// Reports the problems of a tag; a consequence of another problem is reported under its cause.
    mutating func report(problemsOf tag: TagOccurrence, by policy: HealthPolicy, at place: Finding.Place) {
        let violated = Set(tag.problems)
        var consequences: [CheckID: [Finding.Consequence]] = [:]
        for check in CheckRegistry.tagChecks where tag.status(of: check.rule) > .pass {
            guard let cause = check.cause(of: tag.tag, among: violated) else { continue }
            consequences[cause, default: []].append(
                .init(
                    check: check.id, status: tag.status(of: check.rule),
                    detail: check.detail(of: tag, by: policy)))
        }
        for check in CheckRegistry.tagChecks {
            switch tag.status(of: check.rule) {
            case .notRun: break
            case .pass: markRun(check.id)
            case .warn, .fail:
                guard check.cause(of: tag.tag, among: violated) == nil else { continue }
                report(
                    check.id, tag.status(of: check.rule), at: place, check.detail(of: tag, by: policy),
                    consequences: consequences[check.id] ?? [])
            }
        }
    }
}

/// A check of the changes in a live playlist from one load to the next.
protocol PlaylistEventCheck: HealthCheck {
    /// Checks an event; not run for an unrelated event.
    static func check(_ event: PlaylistEvent, by policy: HealthPolicy) -> CheckResult
}
