package import NielsenID3
package import TimedMedia

/// What came of one media segment.
package struct SegmentReading: Sendable {
    /// The input, as the user gave it.
    package let source: String

    /// What messages call the segment.
    package let name: String

    /// How it went.
    package internal(set) var outcome: Outcome

    /// Nielsen tags that are settled now, unchecked, each with all the renditions that carry it; some may have been
    /// found in segments before this one.
    package var tags: [TagOccurrence] = []

    /// Tags of other owners in this segment; empty unless they were asked for.
    package internal(set) var otherTags: [OtherTagOccurrence] = []

    /// The segment and its tags for the checks: nothing merged, nothing left out.
    package internal(set) var observation: SegmentObservation

    /// How a segment went.
    package enum Outcome: Sendable {
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
