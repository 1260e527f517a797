import ByteReading

/// The header of one transport packet and the position of its payload (ISO/IEC 13818-1, 2.4.3.2).
struct TransportPacket {
    /// The length of a packet in bytes, without the prefix or suffix that 192- and 204-byte forms add.
    static let byteCount = 188

    /// The first byte of every packet.
    static let syncByte: UInt8 = 0x47

    /// The first PID that a PAT or PMT may assign (table 2-3).
    static let firstFreePID: UInt16 = 0x10

    /// The PID of null packets, which only fill the stream.
    static let nullPID: UInt16 = 0x1FFF

    /// The number of possible PIDs.
    static let pidCount = 0x2000

    let pid: UInt16
    /// payload_unit_start_indicator: a PES packet or a section begins here.
    let startsUnit: Bool
    /// transport_error_indicator: at least one bit is wrong.
    let hasError: Bool
    let isScrambled: Bool
    let continuityCounter: UInt8
    /// discontinuity_indicator: the continuity counter may take any value next (2.4.3.5).
    let isDiscontinuous: Bool
    /// The offset of the payload from the start of the packet, or `byteCount` without payload.
    let payloadStart: Int
    /// Whether the adaptation field ends within the packet and its control field is valid.
    let isWellFormed: Bool

    var hasPayload: Bool { payloadStart < Self.byteCount }

    /// Reads the header of the packet at `offset`, where at least 188 bytes must be available.
    init(_ bytes: Span<UInt8>, at offset: Int) {
        let second = bytes[offset + 1]
        let fourth = bytes[offset + 3]
        pid = bytes.bigEndianUInt16(at: offset + 1) & 0x1FFF
        startsUnit = second & 0x40 != 0
        hasError = second & 0x80 != 0
        isScrambled = fourth & 0xC0 != 0
        continuityCounter = fourth & 0x0F
        let hasAdaptation = fourth & 0x20 != 0
        let declaresPayload = fourth & 0x10 != 0
        let adaptationLength = hasAdaptation ? Int(bytes[offset + 4]) : 0
        isDiscontinuous = adaptationLength > 0 && bytes[offset + 5] & 0x80 != 0
        let start = hasAdaptation ? 5 + adaptationLength : 4
        isWellFormed = (hasAdaptation || declaresPayload) && start <= Self.byteCount
        payloadStart = declaresPayload && start < Self.byteCount ? start : Self.byteCount
    }
}
