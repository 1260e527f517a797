extension Span<UInt8> {
    /// Returns the byte at `offset`; like all methods below, it traps if the offset is out of bounds.
    @inlinable
    package func byte(at offset: Int) -> UInt8 { self[offset] }

    /// Returns two bytes at `offset` as a big-endian number.
    @inlinable @inline(__always)
    package func bigEndianUInt16(at offset: Int) -> UInt16 { UInt16(bigEndian: number(at: offset)) }

    /// Returns three bytes at `offset` as a big-endian number.
    @inlinable @inline(__always)
    package func bigEndianUInt24(at offset: Int) -> UInt32 {
        let bytes = extracting(offset..<offset + 3)
        let high = UInt32(bytes[0]) &<< 16 | UInt32(bytes[1]) &<< 8
        return high | UInt32(bytes[2])
    }

    /// Returns four bytes at `offset` as a big-endian number.
    @inlinable @inline(__always)
    package func bigEndianUInt32(at offset: Int) -> UInt32 { UInt32(bigEndian: number(at: offset)) }

    /// Returns eight bytes at `offset` as a big-endian number.
    @inlinable @inline(__always)
    package func bigEndianUInt64(at offset: Int) -> UInt64 { UInt64(bigEndian: number(at: offset)) }

    /// Loads a number in native byte order from `offset` in one step.
    ///
    /// If the number is assembled from single bytes that the caller also reads, the compiler emits separate loads with
    /// a bounds check each.
    @inlinable @inline(__always)
    func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number {
        precondition(offset >= 0 && offset <= count - MemoryLayout<Number>.size, "bytes out of bounds")
        // All bytes are in the span, the load is unaligned, and every bit pattern is a valid number.
        return unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Number.self)
    }

    /// Returns four bytes of seven bits each at `offset` (ID3v2.4.0 structure, 6.2); nil if a top bit is set.
    @inlinable
    package func syncSafeUInt28(at offset: Int) -> UInt32? {
        let raw = bigEndianUInt32(at: offset)
        guard raw & 0x8080_8080 == 0 else { return nil }
        let high = raw >> 3 & 0x0FE0_0000 | raw >> 2 & 0x001F_C000
        let low = raw >> 1 & 0x0000_3F80 | raw & 0x0000_007F
        return high | low
    }

    /// Returns whether the bytes at `offset` are those of an ASCII text; does not read past the end.
    @inlinable
    package func hasASCII(_ text: StaticString, at offset: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard offset >= 0, length <= count - min(offset, count) else { return false }
        var position = 0
        while position < length {
            // `utf8Start` of an ASCII StaticString points to at least `utf8CodeUnitCount` readable bytes.
            guard unsafe text.utf8Start[position] == self[offset + position] else { return false }
            position += 1
        }
        return true
    }

    /// Returns a copy of the bytes in `range`.
    @inlinable
    package func copy(_ range: Range<Int>) -> [UInt8] {
        // The closure only reads the buffer, and the span outlives it.
        unsafe extracting(range).withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// Returns a copy of all bytes.
    @inlinable
    package func copy() -> [UInt8] { copy(0..<count) }
}
