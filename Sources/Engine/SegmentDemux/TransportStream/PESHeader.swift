import ByteReading

/// The header of a PES packet (ISO/IEC 13818-1, 2.4.3.6).
struct PESHeader: Sendable, Hashable {
    let streamID: UInt8
    /// The length of the whole PES packet in bytes, or nil if it is unbounded (PES_packet_length 0).
    let declaredByteCount: Int?
    /// The number of bytes before the payload.
    let headerByteCount: Int
    /// The PTS, 33 bits, or nil if the header has none.
    let pts: UInt64?

    enum Reading {
        case header(PESHeader)
        /// The bytes are the start of a header.
        case incomplete
        /// No PES packet begins here.
        case none
    }

    /// Reads a header at the start of `range`, which covers the PES packet so far.
    static func read(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Reading {
        let start = range.lowerBound
        let prefix: [UInt8] = [0, 0, 1]
        for index in 0..<min(3, range.count) where bytes[start + index] != prefix[index] { return .none }
        guard range.count >= 6 else { return .incomplete }
        let streamID = bytes[start + 3]
        let length = Int(bytes.bigEndianUInt16(at: start + 4))
        let declared = length == 0 ? nil : 6 + length
        guard hasOptionalHeader(streamID) else {
            return .header(
                PESHeader(streamID: streamID, declaredByteCount: declared, headerByteCount: 6, pts: nil))
        }
        guard range.count >= 9 else { return .incomplete }
        let headerByteCount = 9 + Int(bytes[start + 8])
        guard range.count >= headerByteCount else { return .incomplete }
        let hasPTS = bytes[start + 7] & 0x80 != 0 && headerByteCount >= 14
        return .header(
            PESHeader(
                streamID: streamID, declaredByteCount: declared, headerByteCount: headerByteCount,
                pts: hasPTS ? timestamp(bytes, at: start + 9) : nil))
    }

    /// Returns the PTS of the PES packet that starts in `range`, or nil if it has none.
    ///
    /// The range must include the bytes up to the PTS.
    static func presentationTime(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64? {
        let start = range.lowerBound
        guard range.count >= 14, bytes.bigEndianUInt24(at: start) == 1, hasOptionalHeader(bytes[start + 3]),
            bytes[start + 7] & 0x80 != 0, bytes[start + 8] >= 5
        else { return nil }
        return timestamp(bytes, at: start + 9)
    }

    /// Returns whether PES packets with this stream_id have flags, a header length and an optional PTS (table 2-21).
    private static func hasOptionalHeader(_ streamID: UInt8) -> Bool {
        switch streamID {
        case 0xBC, 0xBE, 0xBF, 0xF0, 0xF1, 0xF2, 0xF8, 0xFF: false
        default: true
        }
    }

    /// Reads a timestamp: 33 bits in five bytes, separated by marker bits.
    private static func timestamp(_ bytes: Span<UInt8>, at offset: Int) -> UInt64 {
        let high = UInt64(bytes[offset] & 0x0E) << 29
        let middle = UInt64(bytes.bigEndianUInt16(at: offset + 1) & 0xFFFE) << 14
        return high | middle | UInt64(bytes.bigEndianUInt16(at: offset + 3) >> 1)
    }
}
