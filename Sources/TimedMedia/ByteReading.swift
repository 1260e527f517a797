extension Span<UInt8> {
    /// The byte at `offset`; out of bounds is a programmer's error and traps, as for every reading below.
    @inlinable
    public func byte(at offset: Int) -> UInt8 { self[offset] }

    /// Two bytes at `offset`, the more significant first.
    @inlinable @inline(__always)
    public func bigEndianUInt16(at offset: Int) -> UInt16 {
        let bytes = extracting(offset..<offset + 2)
        return UInt16(bytes[0]) &<< 8 | UInt16(bytes[1])
    }

    /// Three bytes at `offset`, the most significant first.
    @inlinable @inline(__always)
    public func bigEndianUInt24(at offset: Int) -> UInt32 {
        let bytes = extracting(offset..<offset + 3)
        let high = UInt32(bytes[0]) &<< 16 | UInt32(bytes[1]) &<< 8
        return high | UInt32(bytes[2])
    }

    /// Four bytes at `offset`, the most significant first.
    ///
    /// The bounds are checked once for all four, so that the compiler makes one load of them; as below.
    @inlinable @inline(__always)
    public func bigEndianUInt32(at offset: Int) -> UInt32 {
        let bytes = extracting(offset..<offset + 4)
        let high = UInt32(bytes[0]) &<< 24 | UInt32(bytes[1]) &<< 16
        let low = UInt32(bytes[2]) &<< 8 | UInt32(bytes[3])
        return high | low
    }

    /// Eight bytes at `offset`, the most significant first.
    @inlinable @inline(__always)
    public func bigEndianUInt64(at offset: Int) -> UInt64 {
        let bytes = extracting(offset..<offset + 8)
        let first = UInt64(bytes[0]) &<< 56 | UInt64(bytes[1]) &<< 48
        let second = UInt64(bytes[2]) &<< 40 | UInt64(bytes[3]) &<< 32
        let third = UInt64(bytes[4]) &<< 24 | UInt64(bytes[5]) &<< 16
        let fourth = UInt64(bytes[6]) &<< 8 | UInt64(bytes[7])
        return first | second | (third | fourth)
    }

    /// Four bytes of seven bits each at `offset` (ID3v2.4.0 structure, 6.2); nil where a top bit is set.
    @inlinable
    public func syncSafeUInt28(at offset: Int) -> UInt32? {
        let raw = bigEndianUInt32(at: offset)
        guard raw & 0x8080_8080 == 0 else { return nil }
        let high = raw >> 3 & 0x0FE0_0000 | raw >> 2 & 0x001F_C000
        let low = raw >> 1 & 0x0000_3F80 | raw & 0x0000_007F
        return high | low
    }

    /// Whether the bytes from `offset` are those of an ASCII text, without reading past the end.
    @inlinable
    public func hasASCII(_ text: StaticString, at offset: Int) -> Bool {
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
    public func copy(_ range: Range<Int>) -> [UInt8] {
        // The buffer is read while the closure runs, and the span outlives it.
        unsafe extracting(range).withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// A copy of all the bytes.
    @inlinable
    public func copy() -> [UInt8] { copy(0..<count) }
}
