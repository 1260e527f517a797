import NielsenID3
import TimedMedia

/// One check of checks.md: what all of them have in common.
protocol HealthCheck: SendableMetatype {
    /// Its id.
    static var id: CheckID { get }

    /// Why it is not run where it met nothing that it judges.
    static var absence: String { get }

    /// The limit that its row states; nil where no finding is allowed at all.
    static var limit: HealthLimit? { get }
}

extension HealthCheck {
    static var limit: HealthLimit? { nil }
}

/// A check that judges one tag by itself.
protocol TagCheck: HealthCheck {
    /// What it says of a tag.
    static func judge(_ tag: TagOccurrence, in context: TagContext) -> Judgement
}

/// What a check says of one tag.
enum Judgement: Hashable {
    /// The tag is none that the check judges.
    case notJudged
    /// As it should be.
    case pass
    /// Hit, with what was seen and what was expected.
    case hit(CheckStatus, String)
}

/// What a tag is judged by beside its own fields.
struct TagContext {
    let policy: HealthPolicy
    /// The segment that was read when the tag came; nil for what came after the last one.
    let segment: SegmentContext?
    /// The wall time in Unix seconds; nil for recorded input.
    let wallTime: Double?
}

/// A check that judges a segment by what its container says, and the tags that came with it.
protocol SegmentCheck: HealthCheck, Sendable {
    init()
    /// Judges one segment, in reading order.
    mutating func judge(_ reading: SegmentReading, into ledger: inout CheckLedger)
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
