import CDTVRZlib

/// The CRC-32 of extended headers, which is that of zlib (ISO 3309).
enum CyclicRedundancyCheck {
    static func value(of bytes: Span<UInt8>) -> UInt32 {
        // zlib reads `count` bytes of the buffer while the closure runs; a tag has fewer than 2^32.
        let sum = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe crc32_z(0, buffer.baseAddress, buffer.count)
        }
        return UInt32(truncatingIfNeeded: sum)
    }
}
