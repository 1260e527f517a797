public import NielsenID3
public import TimedMedia

/// The result of reading one media segment.
public struct SegmentReading: Sendable {
    /// The input as named by the user.
    public let source: String

    /// The name of the segment in messages.
    public let name: String

    /// The outcome of reading the segment.
    public internal(set) var outcome: Outcome

    /// The Nielsen tags that are complete now, each with its problems and all renditions that carry it.
    ///
    /// Some may have been found in earlier segments.
    public var tags: [TagOccurrence] = []

    /// The tags of other owners in this segment, if requested.
    package internal(set) var otherTags: [OtherTagOccurrence] = []

    /// The reason why the segment's initialization section was not read, after the first segment that reported it as
    /// its outcome; nil if the times of the segment are known.
    package internal(set) var missingInitialization: InputError?

    /// The segment and all its tags for the checks, before merging.
    package internal(set) var observation: SegmentObservation

    /// The outcome of reading a segment.
    public enum Outcome: Sendable {
        /// The segment was read, with its byte count and container facts.
        case read(byteCount: UInt64, facts: CarriageFacts)
        /// The playlist marks the segment as missing.
        case gap
        /// The file is a playlist in a directory, which is not followed.
        case playlist
        /// The segment or its initialization segment could not be read completely.
        ///
        /// Tags found before the error are included.
        case failed(InputError)
    }
}
