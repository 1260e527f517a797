import NielsenID3
import TimedMedia

/// A check: what all of them have in common.
protocol HealthCheck: SendableMetatype {
    /// Everything about it but the rule.
    static var declaration: CheckDeclaration { get }

    /// Whether it needs nothing but owner identifiers, so that it is run on a text too.
    static var needsOnlyOwner: Bool { get }

    /// The limit that its row states, for a presentation of `duration` seconds; nil where no finding is allowed.
    static func rowLimit(policy: HealthPolicy, duration: Double) -> CheckOutcome.Limit?
}

extension HealthCheck {
    static var id: CheckID { declaration.id }

    static var needsOnlyOwner: Bool { false }

    static func rowLimit(policy: HealthPolicy, duration: Double) -> CheckOutcome.Limit? {
        declaration.rowLimit.map { CheckOutcome.Limit(value: policy[$0], unit: $0.unit) }
    }
}

/// What a check says of one tag.
enum CheckResult: Hashable {
    /// There is nothing to check.
    case notRun
    /// As it should be.
    case pass
    /// Not as it should be: what was seen and what was expected. Information where the status is `pass`.
    case violation(CheckStatus, String)

    var isViolation: Bool { if case .violation = self { true } else { false } }
}

/// A check of one tag by itself: of what it says, and whether all of it is there.
///
/// Its id is one of the tag's problems.
protocol TagCheck: HealthCheck {
    static func check(_ tag: TagOccurrence, by policy: HealthPolicy) -> CheckResult

    /// Which of the violated checks a violation of this one follows from; nil where from none.
    static func cause(of tag: NielsenTag, among violated: Set<CheckID>) -> CheckID?
}

extension TagCheck {
    static var needsOnlyOwner: Bool { true }

    static func cause(of tag: NielsenTag, among violated: Set<CheckID>) -> CheckID? { nil }
}

/// A check of how one tag lies in its stream.
protocol PlacedTagCheck: HealthCheck {
    static func check(_ tag: TagOccurrence, in context: TagContext) -> CheckResult
}

/// What is known around a tag.
struct TagContext {
    let policy: HealthPolicy
    /// The segment that was read when the tag came; nil for what came after the last one.
    let segment: SegmentContext?
    /// The wall time in Unix seconds; nil for recorded input.
    let wallTime: Double?
}

/// A check of a segment by what its container says, and of the tags that came with it.
protocol SegmentCheck: HealthCheck, Sendable {
    init()
    /// Checks one segment, in reading order.
    mutating func check(_ reading: SegmentReading, into ledger: inout CheckLedger)
}

/// What was read of one segment, as the checks of segments see it.
struct SegmentReading {
    /// What the container says of the segment.
    let facts: CarriageFacts
    /// The tags that came with it, without repeats.
    let tags: [PlacedTag]
    /// What other owners' tags break, with offsets from the segment's start.
    let malformedOthers: CarriageFacts.Bounded<CarriageFacts.MalformedRange>
    /// The segment as a place for findings.
    let place: Finding.Place

    /// Whether the segment is a transport stream.
    var isTransportStream: Bool {
        if case .transportStream = facts.container { true } else { false }
    }
}

/// A check of each DATA tag of a run against those before it in the run.
protocol RunCheck: HealthCheck, Sendable {
    init()
    /// Checks the next valid DATA tag of the run.
    mutating func check(_ tag: TagOccurrence, by policy: HealthPolicy) -> [CheckResult]

    /// Forgets what hangs on the stream's clock, where that starts anew.
    mutating func restart()

    /// Whether what it found last goes on since, and is not told again.
    var isLasting: Bool { get }
}

extension RunCheck {
    static var needsOnlyOwner: Bool { true }

    mutating func restart() {}

    var isLasting: Bool { false }
}
