public import TimedMedia

/// One occurrence of a Nielsen tag: what it says, where it was found and at which time.
///
/// It is what is checked, what reports print and what the buffer keeps, of a recording, a live channel or a player alike.
public struct TagOccurrence: Sendable, Hashable {
    /// The tag's fields.
    public var tag: NielsenTag

    /// Where it was found.
    public var origin: TagOrigin

    /// The presentation time as the container has it; nil where it has none.
    public var time: MediaTimestamp?

    /// That time in seconds on the unwrapped clock, absolute; nil where there is none.
    public var seconds: Double?

    /// How it travelled.
    public var carriage: Carriage

    /// What a transport stream says of it; nil elsewhere.
    public var transport: TimedMetadata.TransportFacts?

    /// Whether the container ended, or lost a packet, before the tag did.
    public var isTruncated: Bool

    /// Seconds of the presentation before it: those before its segment and its distance from the segment's first time.
    public var position: Double

    /// The checks that this one tag fails, in the order of reports; empty until a tag policy has checked it.
    public var problems: [CheckID]

    /// One occurrence of a tag.
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
