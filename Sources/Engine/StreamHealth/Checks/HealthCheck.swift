import HLSPlaylist
import ID3v2
package import NielsenID3

/// A check of a stream, or of the monitor: at each event, it states the result to the memory of results.
///
/// The declaration of a check of a stream names its events; one that names none is judged by the caller that measures
/// its condition.
package protocol HealthCheck<Event, Ledger>: Sendable {
    /// The input of the check: `StreamEvent` or `MonitorFacts`.
    associatedtype Event
    /// The memory of results: the ledger of a stream, or the book of the monitor, whose checks judge their whole
    /// condition each time.
    associatedtype Ledger

    /// The description of the check.
    static var declaration: CheckDeclaration { get }

    /// Returns the limit that the row states for a presentation of `duration` seconds.
    ///
    /// Returns nil if no finding is allowed.
    func rowLimit(policy: HealthPolicy, duration: Double) -> CheckOutcome.Limit?

    /// Judges an event by the policy of the ledger, and reports the result to it.
    mutating func judge(_ event: Event, into ledger: inout Ledger)
}

extension HealthCheck {
    package static var id: CheckID { declaration.id }

    package var id: CheckID { Self.declaration.id }

    package var declaration: CheckDeclaration { Self.declaration }

    package func rowLimit(policy: HealthPolicy, duration: Double) -> CheckOutcome.Limit? {
        declaration.rowLimit.map { CheckOutcome.Limit(value: policy[$0], unit: $0.unit) }
    }

    mutating func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {}
}

/// An event of a stream, as input of its checks.
enum StreamEvent {
    /// A tag, whose content and completeness `TagPolicy` has checked.
    case tag(PlacedTag)
    /// A tag at its place in the stream.
    ///
    /// The segment is the one during which the tag arrived; nil for tags after the last segment. The time is that at
    /// which the tag was due; nil for recorded input.
    case arrival(TagOccurrence, SegmentContext?, WallTime?, Finding.Place)
    /// The next segment, in reading order: its container and the tags in it.
    case segment(CheckedSegment)
    /// The next valid DATA tag of an inserter's run, with the number of the run.
    case runTag(TagOccurrence, Finding.Place, run: Int)
    /// The stream's clock restarts within a run.
    case clockRestart
    /// A tag that no rendition of a unit had before, with its position in the media that was read of its rendition, in
    /// seconds.
    ///
    /// A unit is one rendition of a recording, or a variant without its own audio together with the default audio of
    /// its group; it has a number.
    case unitTag(PlacedTag, at: Double, unit: Int)
    /// Media of a rendition of a unit that was lost, up to a position in the media that was read of it.
    case unitLoss(UnreadMedia, at: Double, Finding.Place, unit: Int)
    /// The end of a segment of a unit, after its tags and its lost media: its container, and the least and the most
    /// seconds that were read of the renditions.
    case unitSegment(CarriageFacts?, read: ClosedRange<Double>, Finding.Place, unit: Int)
    /// The end of a unit: the seconds of its longest rendition that were read, and the most that were not.
    case unitEnd(read: Double, unread: Double, Finding.Place, unit: Int)
    /// An unexpected change in a live playlist from one load to the next.
    case playlistChange(PlaylistEvent, Finding.Place)
    /// The load of a live segment.
    case segmentLoad(SegmentFetch, Finding.Place)
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

/// The result of judging one condition.
package enum CheckResult: Sendable, Hashable {
    /// There is nothing to check.
    case notRun
    /// The stream meets the expectation.
    case pass
    /// The stream violates the expectation; the text states what was found and what was expected.
    ///
    /// It is information if the status is `pass`.
    case violation(CheckStatus, String)

    var isViolation: Bool { if case .violation = self { true } else { false } }
}
