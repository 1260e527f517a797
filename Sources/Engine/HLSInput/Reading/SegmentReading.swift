public import NielsenID3
public import TimedMedia

/// What came of one media segment.
public struct SegmentReading: Sendable {
    /// The input, as the user gave it.
    public let source: String

    /// What messages call the segment.
    public let name: String

    /// How it went.
    public internal(set) var outcome: Outcome

    /// Nielsen tags that are settled now, unchecked, each with all the renditions that carry it; some may have been
    /// found in segments before this one.
    public var tags: [TagOccurrence] = []

    /// Tags of other owners in this segment; empty unless they were asked for.
    package internal(set) var otherTags: [OtherTagOccurrence] = []

    /// The segment and its tags for the checks: nothing merged, nothing left out.
    package internal(set) var observation: SegmentObservation

    /// How a segment went.
    public enum Outcome: Sendable {
        /// It was read: how many bytes it has, and what its container says.
        case read(byteCount: UInt64, facts: CarriageFacts)
        /// Its playlist says that it is not there.
        case gap
        /// It is a playlist that lies in a directory, and is not followed.
        case playlist
        /// It could not be read, or not to its end, or not the initialization segment that it needs; the tags that were
        /// found all the same are there.
        case failed(InputError)
    }
}
