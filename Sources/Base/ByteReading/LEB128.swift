/// Unsigned LEB128: seven bits per byte in little-endian order, with the top bit set in all bytes but the last.
@usableFromInline package enum LEB128 {
    /// A reason why bytes are not a valid number.
    @usableFromInline package enum ReadingError: Error, Sendable, Hashable {
        /// The bytes end before the end of the number.
        case truncated
        /// The number has more than 64 bits.
        case tooLarge
    }

    /// Appends the number in at most ten bytes.
    @inlinable
    package static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Reads the number at `offset` and advances `offset` past it; an error leaves `offset` unchanged.
    @inlinable
    package static func read(
        from bytes: Span<UInt8>, at offset: inout Int
    ) throws(ReadingError) -> UInt64 {
        var position = offset
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while position < bytes.count {
            let byte = bytes[position]
            // The tenth byte contains only the 64th bit.
            guard shift < 63 || (shift == 63 && byte <= 1) else { throw .tooLarge }
            value |= UInt64(byte & 0x7F) << shift
            position += 1
            if byte & 0x80 == 0 {
                offset = position
                return value
            }
            shift += 7
        }
        throw .truncated
    }
}
