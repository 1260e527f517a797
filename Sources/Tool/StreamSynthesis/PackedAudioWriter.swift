import ByteReading

/// A writer of packed audio segments (RFC 8216, section 3.4): an Apple timestamp tag, ADTS frames, and tags between
/// them.
///
/// A tag precedes the audio frame that begins at its PTS, so that its time follows from the preceding audio.
struct PackedAudioWriter: SegmentWriter, ~Copyable {
    static let fileExtension = "aac"

    private var segment: [UInt8] = []
    private var lastFrameStart = 0

    init() {}

    mutating func initialization() -> [UInt8]? { nil }

    mutating func beginSegment(at time: Int64) {
        segment = Self.timestampTag(time)
        lastFrameStart = segment.count
    }

    mutating func addPicture(_ packet: borrowing EncodedPacket) throws(SynthesisError) {
        throw .setting(name: "container", reason: "packed-audio needs a rendition without video")
    }

    mutating func addSound(_ packet: borrowing EncodedPacket) {
        let frame = packet.bytes
        lastFrameStart = segment.count
        segment += Self.header(payloadCount: frame.count) + frame
    }

    mutating func addTag(_ entry: TagSchedule.Entry) {
        segment.insert(contentsOf: entry.bytes, at: lastFrameStart)
        lastFrameStart += entry.bytes.count
    }

    mutating func endSegment() -> [UInt8] { segment }

    /// Returns a PRIV tag with the PTS of the first audio frame, 33 bits in eight bytes.
    static func timestampTag(_ time: Int64) -> [UInt8] {
        let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]
        let body = owner + (UInt64(bitPattern: time) & (1 << 33 - 1)).bigEndianBytes
        let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(body.count), 0, 0] + body
        return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    }

    /// Returns the seven-byte ADTS header (ISO/IEC 13818-7, 6.2): MPEG-4, no CRC, AAC-LC, 48 kHz, one channel.
    static func header(payloadCount: Int) -> [UInt8] {
        // The field has 13 bits; an AAC frame with one channel has at most 768 bytes.
        let length = UInt32(payloadCount + 7)
        return [
            0xFF, 0xF1, 0x01 << 6 | 0x03 << 2, 0x01 << 6 | UInt8(truncatingIfNeeded: length >> 11 & 0x03),
            UInt8(truncatingIfNeeded: length >> 3), UInt8(truncatingIfNeeded: length << 5) | 0x1F, 0xFC,
        ]
    }
}
