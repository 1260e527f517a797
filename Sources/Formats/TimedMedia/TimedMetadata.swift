/// The bytes of one ID3 tag, its time, and how the container carried it.
///
/// The bytes are those the container carried, from `ID3` to the last byte of the tag (its footer included),
/// nothing repaired and nothing removed.
public struct TimedMetadata: Sendable, Hashable {
    /// The tag's bytes, unaltered.
    public let bytes: [UInt8]

    /// The tag's presentation time as the container has it; nil where it has none.
    public let time: MediaTimestamp?

    /// How the tag travelled.
    public let carriage: Carriage

    /// Which segment the tag begins in: 0 for the first one that the demuxer was given.
    public let segmentIndex: Int

    /// Where in that segment: the offset of the tag's first byte (transport stream: of the packet that it
    /// begins in), in bytes from the segment's start.
    public let offset: Int

    /// Whether all of the tag is there.
    public let completeness: Completeness

    /// What only a transport stream has to say; nil elsewhere.
    public let transport: TransportFacts?

    /// Whether a tag's bytes are all there.
    public enum Completeness: Sendable, Hashable {
        /// As many bytes as the tag's header says.
        case complete
        /// The tag ends too early, because its container did or packets are missing: its header says `expected`.
        case truncated(expected: Int)
    }

    /// The transport stream's side of one tag.
    public struct TransportFacts: Sendable, Hashable {
        /// How many transport packets the tag's bytes lie in.
        public let packetCount: Int

        /// Whether the tag begins and ends together with PES packets, and no other payload shares its packets.
        public let fillsPackets: Bool

        /// The `stream_id` of the PES packet that the tag begins in.
        public let streamID: UInt8

        /// The PTS of the last audio PES (video where the program has no audio) that started before the
        /// tag's first packet; nil where there was none.
        public let precedingMediaTime: MediaTimestamp?

        /// The facts of one tag.
        public init(
            packetCount: Int, fillsPackets: Bool, streamID: UInt8, precedingMediaTime: MediaTimestamp?
        ) {
            self.packetCount = packetCount
            self.fillsPackets = fillsPackets
            self.streamID = streamID
            self.precedingMediaTime = precedingMediaTime
        }
    }

    /// One tag as a container gave it.
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
