public import ID3v2

/// One occurrence of a Nielsen tag: its fields, its origin and its time.
///
/// This is the unit that the checks examine, reports print and the buffer stores, whether it comes from a recording, a
/// live channel or a player.
public struct TagOccurrence: Sendable, Hashable {
    /// The tag's fields.
    public var tag: NielsenTag

    /// The origin and location of the tag.
    public var origin: TagOrigin

    /// The presentation time in the container; nil if it has none.
    public var time: MediaTimestamp?

    /// The presentation time in seconds on the unwrapped clock, absolute; nil if there is none.
    public var seconds: Double?

    /// The way in which the container carries the tag.
    public var carriage: Carriage

    /// The facts specific to a transport stream; nil for other containers.
    public var transport: TimedMetadata.TransportFacts?

    /// Whether the container ended or lost a packet before the end of the tag.
    public var isTruncated: Bool

    /// The offset of the tag in the presentation, in seconds.
    ///
    /// It is the duration of the preceding segments plus the distance from the first time of the tag's segment.
    public var position: Double

    /// The checks that this tag fails, in report order; empty until `TagPolicy` has checked it.
    public var problems: [CheckID]

    /// The status of each rule of `TagPolicy`, in the order of the rules; empty until it has checked the tag.
    ///
    /// The buffer does not store it.
    package var statuses: [CheckStatus] = []

    /// Creates one occurrence of a tag.
    public init(
        tag: NielsenTag, origin: TagOrigin, time: MediaTimestamp?, seconds: Double?, carriage: Carriage,
        transport: TimedMetadata.TransportFacts? = nil, isTruncated: Bool = false, position: Double = 0,
        problems: [CheckID] = []
    ) {
        self.tag = tag
        self.origin = origin
        self.time = time
        self.seconds = seconds
        self.carriage = carriage
        self.transport = transport
        self.isTruncated = isTruncated
        self.position = position
        self.problems = problems
    }
    /// The worst status among the rules of `TagPolicy`; `notRun` until it has checked the tag.
    public var severity: CheckStatus { statuses.max() ?? .notRun }

    /// Whether its owner identifier or checksum is invalid, or the tag is truncated.
    ///
    /// Such a tag is counted and listed, but the rules about its fields do not apply.
    package var isBroken: Bool { isTruncated || tag.formatDefect != nil || tag.isChecksumValid == false }

    /// The kind of a valid tag; nil for a broken tag.
    package var validKind: NielsenTag.Kind? { isBroken ? nil : tag.kind }
}

/// One occurrence of an ID3 tag that is not a Nielsen tag: its bytes, its location and its time.
package struct OtherTagOccurrence: Sendable, Hashable {
    /// The tag as read from its container.
    package let metadata: TimedMetadata

    /// The location of the tag.
    package var place: TagPlace

    /// The tag's time in seconds on the unwrapped clock; nil if it has none.
    package let seconds: Double?

    /// Creates one occurrence of a tag.
    package init(metadata: TimedMetadata, place: TagPlace, seconds: Double?) {
        self.metadata = metadata
        self.place = place
        self.seconds = seconds
    }
}
