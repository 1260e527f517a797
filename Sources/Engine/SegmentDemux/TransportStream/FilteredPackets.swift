internal import TimedMedia

/// What a packet filter let through of one segment, or of one part of a long one.
///
/// A value of its own, so that segments can be filtered on any thread and handed on in order.
struct FilteredPackets: Sendable {
    /// The packets that were let through, 188 bytes each, in the order of `entries`.
    var packets: [UInt8] = []

    /// One for each packet, in the order of the stream.
    var entries: [FilteredPacket] = []

    /// The program map in force before the first packet.
    var mapAtStart = ProgramMap()

    /// The program map in force after the last packet.
    var mapAtEnd = ProgramMap()

    /// Whether a packet came before the segment's own PAT and PMTs: without the map of the segment before it
    /// the reading may be another.
    var neededEarlierMap = false

    /// The tags before the first sync byte, as ranges of `front`, and whether each is cut.
    var front = SegmentFront()

    /// What the filter itself saw.
    var facts = CarriageFacts()

    /// The last media time of each programme, by its number.
    var lastMediaTimes: [UInt16: UInt64] = [:]

    /// Whether there is anything that a tag could be in.
    var hasMetadata: Bool { entries.contains { $0.content != .programMap } }
}

/// One transport packet that a filter let through.
struct FilteredPacket: Sendable, Hashable {
    let pid: UInt16
    /// Where its sync byte is, in bytes from the segment's start.
    let offset: Int
    let content: Content
    /// Whether packets of this PID are missing before it.
    let followsLoss: Bool
    /// The PTS of the programme's audio (video where it has none) that began last before it in the segment.
    let precedingMediaTime: UInt64?
    /// The programme that the stream belongs to; nil where no map says so.
    let programNumber: UInt16?

    enum Content: Sendable, Hashable {
        case programMap
        /// Of a stream that the map declares as timed ID3.
        case metadata
        /// Of a stream of which only its content can tell.
        case candidate
    }
}
