internal import ID3v2
internal import ISOBMFF

/// The filter output for one fragmented MP4 segment.
struct FilteredBoxes: Sendable {
    /// The statements of the boxes about tracks, times and events, in stream order.
    ///
    /// Their meaning may depend on previous segments.
    var statements: [BoxStatement] = []

    /// The tags in byte order, available at the end of the segment.
    var tags: [Tag] = []

    /// The facts that depend on this segment alone.
    var facts = CarriageFacts()

    /// A tag whose time may depend on the tracks or on later boxes in the segment.
    struct Tag: Sendable {
        let bytes: [UInt8]
        let offset: Int
        let carriage: Carriage
        let completeness: TimedMetadata.Completeness
        let time: Time?

        enum Time: Sendable {
            case absolute(MediaTimestamp)
            /// An offset from the earliest presentation time of the segment.
            case delta(UInt32, timescale: UInt32)
        }
    }
}

/// The information from one box about tracks, times or events.
enum BoxStatement: Sendable {
    case movie
    case track
    case trackHeader(TrackHeaderBox)
    case mediaHeader(MediaHeaderBox)
    case handler(HandlerBox)
    case trackExtends(TrackExtendsBox)
    case segmentIndex(SegmentIndexBox)
    case movieFragment
    case trackFragment
    case trackFragmentHeader(TrackFragmentHeaderBox)
    case trackFragmentDecodeTime(TrackFragmentDecodeTimeBox)
    case run(SampleRun)
    case trackFragmentEnd
    /// A message that contains a tag.
    case event(EventMessageDigest)
}
