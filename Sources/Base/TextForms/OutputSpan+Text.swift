import ByteReading

/// Appending text to reserved memory, which avoids the capacity and uniqueness checks of an array for each byte.
extension OutputSpan<UInt8> {
    /// Appends bytes unchanged.
    @inline(__always)
    mutating func append(contentsOf text: Span<UInt8>) {
        precondition(text.count <= freeCapacity, "no room for the text")
        unsafe withUnsafeMutableBufferPointer { room, count in
            unsafe text.withUnsafeBufferPointer { source in
                // A nil address means a capacity of zero. The capacity was checked above, and source and target do not
                // overlap.
                guard let start = room.baseAddress, let first = source.baseAddress else { return }
                unsafe (start + count).initialize(from: first, count: source.count)
                count += source.count
            }
        }
    }

    /// Appends an integer in decimal digits, at most 20.
    mutating func append(decimal value: UInt64) {
        // Fill from the last digit to the first; 64 bits have at most 20 digits.
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = 20
        var rest = value
        repeat {
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        append(contentsOf: digits.span.extracting(start..<20))
    }

    /// Appends the two digits of a number below 100.
    @inline(__always)
    mutating func append(twoDigits value: Int64) {
        append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value / 10))
        append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: value % 10))
    }
}

extension Span<UInt8> {
    /// Returns whether the text needs no JSON escapes and, if `isASCII` is set, contains only ASCII.
    ///
    /// It tests eight bytes at a time: a byte that needs an escape sets the top bit of its lane. A subtraction borrows
    /// from the next lane only if it has set a mark itself. A mark may therefore be in the wrong lane, but there is
    /// never a mark without a cause.
    func needsNoEscape(isASCII: Bool) -> Bool {
        var marks: UInt64 = 0
        var position = 0
        while position < count &- 7 {
            marks |= Self.marks(bigEndianUInt64(at: position), isASCII)
            position &+= 8
        }
        // Test the last eight bytes, even if some were tested before; test fewer than eight one by one.
        if count >= 8 {
            marks |= Self.marks(bigEndianUInt64(at: count &- 8), isASCII)
        } else {
            for index in indices { marks |= Self.marks(UInt64(self[index]) | Self.blanks << 8, isASCII) }
        }
        return marks & Self.tops == 0
    }

    /// Returns whether the eight bytes at `offset` are ASCII without a JSON escape.
    @inline(__always)
    func needNoEscape(eightAt offset: Int) -> Bool {
        Self.marks(bigEndianUInt64(at: offset), true) & Self.tops == 0
    }

    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    private static var tops: UInt64 { ones << 7 }
    private static var blanks: UInt64 { ones << 5 }

    /// Returns marks for bytes below 0x20, for 0x22, 0x5C and 0x7F, and if `isASCII` is set for bytes above 0x7F.
    @inline(__always)
    private static func marks(_ bytes: UInt64, _ isASCII: Bool) -> UInt64 {
        let quotes = (bytes ^ ones &* 0x22) &- ones
        let backslashes = (bytes ^ ones &* 0x5C) &- ones
        let deletes = (bytes ^ ones &* 0x7F) &- ones
        let found = ((bytes &- blanks) | quotes | backslashes | deletes) & ~bytes
        return isASCII ? found | bytes : found
    }
}
