import ByteReading

/// Returns at most 65,535 bytes as a gzip member of one stored block (RFC 1951, 3.2.4; RFC 1952).
func gzip(_ bytes: [UInt8]) -> [UInt8] {
    let length = UInt16(bytes.count)
    let checksum = CRC32.of(bytes.span)
    let littleEndian = { (value: UInt64, count: Int) in
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }
    return [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0xFF, 0x01]
        + littleEndian(UInt64(length), 2) + littleEndian(UInt64(~length), 2) + bytes
        + littleEndian(UInt64(checksum), 4) + littleEndian(UInt64(bytes.count), 4)
}
