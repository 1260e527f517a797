internal import ID3v2

/// The filter output for one transport stream segment, or for a part of a long one.
struct FilteredPackets: Sendable {
    /// The packets, 188 bytes each, in the order of `entries`.
    var packets: [UInt8] = []

    /// One entry per packet, in stream order.
    var entries: [FilteredPacket] = []

    /// The program map in force before the first packet.
    var mapAtStart = ProgramMap()

    /// The program map in force after the last packet.
    var mapAtEnd = ProgramMap()

    /// Whether the segment has a packet before its own PAT and PMTs, which only an earlier program map can identify.
    var needsEarlierMap = false

    /// The tags before the first sync byte.
    var front = SegmentFront()

    /// The facts found by the filter.
    var facts = CarriageFacts()

    /// The last media time of each program, keyed by program number.
    var lastMediaTimes: [UInt16: UInt64] = [:]

    /// Whether any packet may contain a tag.
    var hasMetadata: Bool { entries.contains { $0.content != .tables } }
}

/// A transport packet selected by a filter.
struct FilteredPacket: Sendable, Hashable {
    let pid: UInt16
    /// The offset of the sync byte from the start of the segment, in bytes.
    let offset: Int
    let content: Content
    /// Whether earlier packets of this PID are missing.
    let followsDiscontinuity: Bool
    /// The most recent PTS of the program's audio (or video, without audio) before this packet in the segment.
    let precedingMediaTime: UInt64?
    /// The program of the stream, or nil if no PMT lists the stream.
    let programNumber: UInt16?

    enum Content: Sendable, Hashable {
        /// A PAT or PMT packet.
        case tables
        /// A packet of a stream that the PMT declares as timed ID3.
        case metadata
        /// A packet of a stream that may contain timed ID3, depending on its content.
        case candidate
    }
}
