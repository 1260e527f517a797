internal import ISOBMFF
internal import TimedMedia

/// What a filter passed of one segment of fragmented MP4.
struct FilteredBoxes: Sendable {
    /// What the boxes say of tracks, times and events, in the order of the stream: what it means can hang on the
    /// segments before.
    var statements: [BoxStatement] = []

    /// The tags, in the order of their bytes.
    ///
    /// They come with the end of the segment.
    var tags: [Tag] = []

    /// What the segment says by itself.
    var facts = CarriageFacts()

    /// A tag whose time may hang on the tracks, or on what comes after it in the segment.
    struct Tag: Sendable {
        let bytes: [UInt8]
        let offset: Int
        let carriage: Carriage
        let completeness: TimedMetadata.Completeness
        let time: Time?

        enum Time: Sendable {
            case absolute(MediaTimestamp)
            /// From the segment's earliest presentation time.
            case delta(UInt32, timescale: UInt32)
        }
    }
}

/// What one box says of tracks, times or events.
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
    /// A message with a tag.
    case event(EventMessageDigest)
}
