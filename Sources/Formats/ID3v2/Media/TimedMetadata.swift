/// The bytes of one ID3 tag, its time, and the way in which the container carried it.
///
/// The bytes are unchanged, from `ID3` to the last byte of the tag, footer included.
public struct TimedMetadata: Sendable, Hashable {
    /// The tag's bytes, unchanged.
    public let bytes: [UInt8]

    /// The tag's presentation time in the container; nil if it has none.
    public let time: MediaTimestamp?

    /// The way in which the container carried the tag.
    public let carriage: Carriage

    /// The index of the segment in which the tag begins, counted from 0 for the first segment given to the demuxer.
    public let segmentIndex: Int

    /// The offset of the tag's first byte in that segment; in a transport stream, of the packet in which the tag
    /// begins.
    public let offset: Int

    /// Whether the tag is complete.
    public let completeness: Completeness

    /// The facts specific to a transport stream; nil for other containers.
    public let transport: TransportFacts?

    /// The completeness of a tag's bytes.
    public enum Completeness: Sendable, Hashable {
        /// The tag has the number of bytes that its header declares.
        case complete
        /// The tag is truncated by the end of its container or by missing packets; its header declares `expected`
        /// bytes.
        case truncated(expected: Int)
    }

    /// The facts about one tag in a transport stream.
    public struct TransportFacts: Sendable, Hashable {
        /// The number of transport packets that contain the tag's bytes.
        public let packetCount: Int

        /// Whether the tag begins and ends on PES packet boundaries, and no other payload shares its packets.
        public let fillsPackets: Bool

        /// The `stream_id` of the PES packet in which the tag begins.
        public let streamID: UInt8

        /// Whether the PMT declares the stream as timed ID3; nil while no PMT is known.
        public let isDeclared: Bool?

        /// The PTS of the last audio PES packet that started before the tag's first packet.
        ///
        /// It is that of a video PES packet if the program has no audio, and nil if there was none.
        public let precedingMediaTime: MediaTimestamp?

        /// Creates the facts of one tag.
        package init(
            packetCount: Int, fillsPackets: Bool, streamID: UInt8, isDeclared: Bool? = nil,
            precedingMediaTime: MediaTimestamp?
        ) {
            self.packetCount = packetCount
            self.fillsPackets = fillsPackets
            self.streamID = streamID
            self.isDeclared = isDeclared
            self.precedingMediaTime = precedingMediaTime
        }
    }

    /// Creates one tag as read from a container.
    public init(
        bytes: [UInt8], time: MediaTimestamp?, carriage: Carriage, segmentIndex: Int, offset: Int,
        completeness: Completeness, transport: TransportFacts? = nil
    ) {
        self.bytes = bytes
        self.time = time
        self.carriage = carriage
        self.segmentIndex = segmentIndex
        self.offset = offset
        self.completeness = completeness
        self.transport = transport
    }
}
