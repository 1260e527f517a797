public import TimedMedia

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

    /// The checks that this tag fails, in report order; empty until a tag policy has checked it.
    public var problems: [CheckID]

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
}
