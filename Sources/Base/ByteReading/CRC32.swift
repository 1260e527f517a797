/// CRC-32 as zlib, gzip, PNG and ID3v2 have it (ISO-HDLC): polynomial 0x04C11DB7, bits reflected.
package enum CRC32 {
    /// How many bytes are summed in one step, each with a table of its own.
    private static let stride = 8

    /// For each place of a byte in a step, the sum of each of its values followed by zeros up to the end.
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

    /// The sum of the bytes, or of what `start` is the sum of and the bytes.
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
                // A place below 8 and a value below 256: within the 8 * 256 entries.
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

    /// The sum of words as they lie in memory.
    package static func of(bigEndian words: Span<UInt64>) -> UInt32 {
        unsafe words.withUnsafeBytes { buffer in
            // The bytes of words that are lent while the closure runs; a word has no padding.
            unsafe of(buffer.bindMemory(to: UInt8.self).span)
        }
    }
}
