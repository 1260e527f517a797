import ByteReading

/// Returns at most 65,535 bytes as a gzip member of one stored block (RFC 1952).
@Sendable func gzip(_ bytes: [UInt8]) -> [UInt8] {
    let checksum = CRC32.of(bytes.span)
    return [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0xFF] + deflate(bytes) + littleEndian(UInt64(checksum), 4)
        + littleEndian(UInt64(bytes.count), 4)
}

/// Returns at most 65,535 bytes as a stored block with the header and checksum of zlib (RFC 1950).
@Sendable func zlib(_ bytes: [UInt8]) -> [UInt8] {
    var (one, two): (UInt64, UInt64) = (1, 0)
    for byte in bytes {
        one = (one + UInt64(byte)) % 65_521
        two = (two + one) % 65_521
    }
    return [0x78, 0x01] + deflate(bytes) + littleEndian(two << 16 | one, 4).reversed()
}

/// Returns at most 65,535 bytes as a stored block (RFC 1951, 3.2.4).
@Sendable func deflate(_ bytes: [UInt8]) -> [UInt8] {
    let length = UInt16(bytes.count)
    return [0x01] + littleEndian(UInt64(length), 2) + littleEndian(UInt64(~length), 2) + bytes
}

private func littleEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
}
