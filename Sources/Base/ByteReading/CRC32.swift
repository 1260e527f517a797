/// The CRC-32 of zlib, gzip, PNG and ID3v2 (ISO-HDLC): polynomial 0x04C11DB7, reflected.
package enum CRC32 {
    /// The number of bytes processed per step, each with its own table.
    private static let stride = 8

    /// For each position in a step, the CRC of every byte value followed by zeros up to the end of the step.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: stride * 256)
        for index in 0..<256 {
            var value = UInt32(index)
            for _ in 0..<8 { value = value & 1 != 0 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
            tables[index] = value
        }
        for index in 256..<stride * 256 {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()

    /// Returns the CRC of the bytes, or continues the CRC `start` of preceding bytes.
    package static func of(_ bytes: Span<UInt8>, continuing start: UInt32 = 0) -> UInt32 {
        let tables = tables
        let table = tables.span
        var crc = ~start
        var position = 0
        while position <= bytes.count - stride {
            let word = bytes.bigEndianUInt64(at: position).byteSwapped ^ UInt64(crc)
            crc = 0
            for place in 0..<stride {
                let byte = Int(truncatingIfNeeded: word >> UInt64(place * 8)) & 0xFF
                // The position is below 8 and the value below 256, so the index is within the 8 * 256 entries.
                crc ^= unsafe table[unchecked: (stride - 1 - place) << 8 | byte]
            }
            position += stride
        }
        while position < bytes.count {
            crc = crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[position])]
            position += 1
        }
        return ~crc
    }

    /// Returns the CRC of words in their memory order.
    package static func of(bigEndian words: Span<UInt64>) -> UInt32 {
        unsafe words.withUnsafeBytes { buffer in
            // The buffer is borrowed during the closure, and words have no padding.
            unsafe of(buffer.bindMemory(to: UInt8.self).span)
        }
    }
}

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
