import ByteReading

/// A cursor over the lines of a playlist, which end in LF or CR LF (RFC 8216, 4.1).
///
/// Blanks at either end of a line are left out, as is a byte order mark before the first: neither is lawful,
/// both are common.
struct PlaylistLines {
    private var position = 0

    /// The number of the line that was given last, counted from 1.
    private(set) var number = 0

    init(of bytes: Span<UInt8>) {
        let hasMark = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
        position = hasMark ? 3 : 0
    }

    /// Where the next line that is not blank lies; nil at the end.
    mutating func next(in bytes: Span<UInt8>) -> Range<Int>? {
        while position < bytes.count {
            var end = position
            while end < bytes.count, bytes[end] != 0x0A { end += 1 }
            number += 1
            let line = bytes.trimmed(position..<end)
            position = end + 1
            if !line.isEmpty { return line }
        }
        return nil
    }
}

extension Span<UInt8> {
    /// The range without the blanks and carriage returns at its ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper, Self.isBlank(self[lower]) { lower += 1 }
        while upper > lower, Self.isBlank(self[upper - 1]) { upper -= 1 }
        return lower..<upper
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    /// Where in the range the byte stands first; nil where it does not.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        var index = range.lowerBound
        while index < range.upperBound {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
    }

    /// Whether the range holds this ASCII text and nothing else.
    func isASCII(_ text: StaticString, in range: Range<Int>) -> Bool {
        range.count == text.utf8CodeUnitCount && hasASCII(text, at: range.lowerBound)
    }
}
