package import NielsenID3
import ID3v2

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
