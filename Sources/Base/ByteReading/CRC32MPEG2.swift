/// The CRC-32 of MPEG-2 sections (ISO/IEC 13818-1, annex A): polynomial 0x04C11DB7, not reflected, no final XOR.
package enum CRC32MPEG2 {
    private static let table: [UInt32] = (0..<256).map { index in
        var value = UInt32(index) << 24
        for _ in 0..<8 { value = value & 0x8000_0000 != 0 ? value << 1 ^ 0x04C1_1DB7 : value << 1 }
        return value
    }

    /// Returns the CRC of the bytes; it is zero for a section that ends with its own CRC.
    package static func of(_ bytes: Span<UInt8>) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for index in bytes.indices {
            crc = crc << 8 ^ table[Int(UInt8(truncatingIfNeeded: crc >> 24) ^ bytes[index])]
        }
        return crc
    }
}
