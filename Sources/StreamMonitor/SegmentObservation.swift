public import StreamHealth

/// What one media segment of one rendition gave the checks to look at: nothing merged, nothing left out.
public struct SegmentObservation: Sendable {
    /// Which of the programme's renditions was read, counted from 0.
    public let rendition: Int

    /// The segment; nil for a file in a folder that is no part of the stream.
    public let segment: ObservedSegment?

    /// The Nielsen tags that came out with it, in the order of their bytes.
    ///
    /// One that began in an earlier segment, and ended here or never, names that segment.
    public let tags: [ObservedTag]

    /// How many tags of other owners came out with it.
    public let otherTagCount: Int
}
