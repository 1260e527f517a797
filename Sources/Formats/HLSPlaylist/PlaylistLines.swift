import ByteReading

/// A cursor over the lines of a playlist, which end in LF or CR LF (RFC 8216, 4.1).
///
/// It skips blanks at both ends of a line, and a byte order mark at the start. Both are invalid but common.
struct PlaylistLines {
    private var position = 0

    /// The number of the last returned line, counted from 1.
    private(set) var number = 0

    init(of bytes: Span<UInt8>) {
        let hasMark = bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
        position = hasMark ? 3 : 0
    }

    /// Returns the position of the next nonblank line, or nil at the end.
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
    /// Returns the range without the blanks and carriage returns at its ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper, Self.isBlank(self[lower]) { lower += 1 }
        while upper > lower, Self.isBlank(self[upper - 1]) { upper -= 1 }
        return lower..<upper
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

    /// Returns the first position of a byte in the range, or nil if it does not occur.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        var index = range.lowerBound
        while index < range.upperBound {
            if self[index] == byte { return index }
            index += 1
        }
        return nil
    }

    /// Returns whether the range consists of exactly this ASCII text.
    func isASCII(_ text: StaticString, in range: Range<Int>) -> Bool {
        range.count == text.utf8CodeUnitCount && hasASCII(text, at: range.lowerBound)
    }
}

/// The content of a line of a playlist (RFC 8216, 4.1).
enum PlaylistStatement {
    /// A tag, with the position of its value.
    case tag(PlaylistTag, value: Range<Int>)
    /// A URI, which fills the line.
    case uri(Range<Int>)
}

/// A cursor over the tags and URIs of a playlist, which skips comments and unknown tags.
struct PlaylistStatements {
    private var lines: PlaylistLines
    private var isFirst = true

    init(of bytes: Span<UInt8>) { lines = PlaylistLines(of: bytes) }

    /// Returns the next tag or URI and sets the context's line; returns nil at the end.
    ///
    /// The first nonblank line is checked as the header.
    mutating func next(in bytes: Span<UInt8>, _ context: inout ParsingContext) -> PlaylistStatement? {
        while let line = lines.next(in: bytes) {
            context.line = lines.number
            if isFirst { context.checkHeader(line, in: bytes) }
            isFirst = false
            if let (tag, value) = PlaylistTag.read(line, in: bytes) { return .tag(tag, value: value) }
            if bytes[line.lowerBound] != 0x23 { return .uri(line) }
        }
        return nil
    }
}
