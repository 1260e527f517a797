extension Span<UInt8> {
    /// The byte at `offset`; out of bounds is a programmer's error and traps, as for every reading below.
    @inlinable
    package func byte(at offset: Int) -> UInt8 { self[offset] }

    /// Two bytes at `offset`, the more significant first.
    @inlinable @inline(__always)
    package func bigEndianUInt16(at offset: Int) -> UInt16 { UInt16(bigEndian: number(at: offset)) }

    /// Three bytes at `offset`, the most significant first.
    @inlinable @inline(__always)
    package func bigEndianUInt24(at offset: Int) -> UInt32 {
        let bytes = extracting(offset..<offset + 3)
        let high = UInt32(bytes[0]) &<< 16 | UInt32(bytes[1]) &<< 8
        return high | UInt32(bytes[2])
    }

    /// Four bytes at `offset`, the most significant first.
    @inlinable @inline(__always)
    package func bigEndianUInt32(at offset: Int) -> UInt32 { UInt32(bigEndian: number(at: offset)) }

    /// Eight bytes at `offset`, the most significant first.
    @inlinable @inline(__always)
    package func bigEndianUInt64(at offset: Int) -> UInt64 { UInt64(bigEndian: number(at: offset)) }

    /// The number that the bytes at `offset` are on this machine, in one load.
    ///
    /// Put together byte by byte, a number whose bytes are then looked at again comes out as four loads, with
    /// the bounds checked for each.
    @inlinable @inline(__always)
    func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number {
        precondition(offset >= 0 && offset <= count - MemoryLayout<Number>.size, "bytes out of bounds")
        // All bytes of the number lie in the span, need no alignment, and are a number whatever they are.
        return unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Number.self)
    }

    /// Four bytes of seven bits each at `offset` (ID3v2.4.0 structure, 6.2); nil where a top bit is set.
    @inlinable
    package func syncSafeUInt28(at offset: Int) -> UInt32? {
        let raw = bigEndianUInt32(at: offset)
        guard raw & 0x8080_8080 == 0 else { return nil }
        let high = raw >> 3 & 0x0FE0_0000 | raw >> 2 & 0x001F_C000
        let low = raw >> 1 & 0x0000_3F80 | raw & 0x0000_007F
        return high | low
    }

    /// Whether the bytes from `offset` are those of an ASCII text, without reading past the end.
    @inlinable
    package func hasASCII(_ text: StaticString, at offset: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard offset >= 0, length <= count - min(offset, count) else { return false }
        var position = 0
        while position < length {
            // A StaticString of ASCII letters has at least `utf8CodeUnitCount` readable bytes at `utf8Start`.
            guard unsafe text.utf8Start[position] == self[offset + position] else { return false }
            position += 1
        }
        return true
    }

    /// A copy of the bytes in `range`.
    @inlinable
    package func copy(_ range: Range<Int>) -> [UInt8] {
        // The buffer is read while the closure runs, and the span outlives it.
        unsafe extracting(range).withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// A copy of all the bytes.
    @inlinable
    package func copy() -> [UInt8] { copy(0..<count) }
}
