import ByteReading

/// Text into room that was made for it: an array would ask byte by byte whether it has room and is not shared.
extension OutputSpan<UInt8> {
    /// Appends bytes as they are.
    @inline(__always)
    mutating func append(contentsOf text: Span<UInt8>) {
        precondition(text.count <= freeCapacity, "no room for the text")
        unsafe withUnsafeMutableBufferPointer { room, count in
            unsafe text.withUnsafeBufferPointer { source in
                // Room that has no address is room for nothing. What is written was counted above, and is not
                // what is read.
                guard let start = room.baseAddress, let first = source.baseAddress else { return }
                unsafe (start + count).initialize(from: first, count: source.count)
                count += source.count
            }
        }
    }

    /// Appends a whole number in decimal digits, 20 at most.
    mutating func append(decimal value: UInt64) {
        // From the last digit to the first; 20 are enough for 64 bits.
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
    /// Whether JSON has the text as it is and, where that is asked for, all of it is ASCII.
    ///
    /// Eight bytes at a time: what is to be found leaves a mark in the top bit of its byte. A subtraction borrows
    /// from the byte above only where it has left a mark, so that a mark may be wrong, but not that there is one.
    func needsNoEscape(isASCII: Bool) -> Bool {
        var marks: UInt64 = 0
        var position = 0
        while position < count &- 7 {
            marks |= Self.marks(bigEndianUInt64(at: position), isASCII)
            position &+= 8
        }
        // The last eight again, some of them for the second time; fewer than eight one by one.
        if count >= 8 {
            marks |= Self.marks(bigEndianUInt64(at: count &- 8), isASCII)
        } else {
            for index in indices { marks |= Self.marks(UInt64(self[index]) | Self.blanks << 8, isASCII) }
        }
        return marks & Self.tops == 0
    }

    private static var ones: UInt64 { 0x0101_0101_0101_0101 }
    private static var tops: UInt64 { ones << 7 }
    private static var blanks: UInt64 { ones << 5 }

    /// Marks below 0x20, at 0x22, 0x5C and 0x7F, and above that where it is asked for.
    @inline(__always)
    private static func marks(_ bytes: UInt64, _ isASCII: Bool) -> UInt64 {
        let quotes = (bytes ^ ones &* 0x22) &- ones
        let backslashes = (bytes ^ ones &* 0x5C) &- ones
        let deletes = (bytes ^ ones &* 0x7F) &- ones
        let found = ((bytes &- blanks) | quotes | backslashes | deletes) & ~bytes
        return isASCII ? found | bytes : found
    }
}
