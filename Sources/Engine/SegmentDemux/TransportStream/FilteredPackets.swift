internal import TimedMedia

/// What a filter passed of one segment of a transport stream, or of a part of a long one.
struct FilteredPackets: Sendable {
    /// The packets, 188 bytes each, in the order of `entries`.
    var packets: [UInt8] = []

    /// One for each packet, in the order of the stream.
    var entries: [FilteredPacket] = []

    /// The program map in force before the first packet.
    var mapAtStart = ProgramMap()

    /// The program map in force after the last packet.
    var mapAtEnd = ProgramMap()

    /// Whether a packet came before the segment's own PAT and PMTs, so that the map of the segments before says
    /// what it is.
    var needsEarlierMap = false

    /// The tags before the first sync byte.
    var front = SegmentFront()

    /// What the filter itself saw.
    var facts = CarriageFacts()

    /// The last media time of each program, by its number.
    var lastMediaTimes: [UInt16: UInt64] = [:]

    /// Whether there is anything that a tag could be in.
    var hasMetadata: Bool { entries.contains { $0.content != .tables } }
}

/// A transport packet that a filter passed.
struct FilteredPacket: Sendable, Hashable {
    let pid: UInt16
    /// Where its sync byte is, in bytes from the segment's start.
    let offset: Int
    let content: Content
    /// Whether packets of this PID are missing before it.
    let followsDiscontinuity: Bool
    /// The PTS of the program's audio (video where it has none) that began last before it in the segment.
    let precedingMediaTime: UInt64?
    /// The program of the stream; nil where no PMT names it.
    let programNumber: UInt16?

    enum Content: Sendable, Hashable {
        /// A PAT or PMT.
        case tables
        /// Of a stream that the PMT declares as timed ID3.
        case metadata
        /// Of a stream of which only the content can tell.
        case candidate
    }
}
