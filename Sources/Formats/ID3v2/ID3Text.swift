import ByteReading

/// The four encodings of text in frames (ID3v2.4.0 structure, 4).
enum ID3TextEncoding: UInt8 {
    case latin1 = 0
    case utf16 = 1
    case utf16BigEndian = 2
    case utf8 = 3

    /// The number of zero bytes that end a text.
    var unitLength: Int { self == .utf16 || self == .utf16BigEndian ? 2 : 1 }
}

/// A reader for the texts in a frame's content.
struct ID3TextReader: ~Escapable {
    private let content: Span<UInt8>

    /// The offset of the next byte.
    private(set) var position: Int

    /// The byte order of the preceding text, used for a text without a byte order mark.
    ///
    /// The standard requires a mark before every text of a frame, but some writers put one only before the first.
    private var isLittleEndian = true

    @_lifetime(copy content)
    init(_ content: Span<UInt8>, from start: Int = 0) {
        self.content = content
        position = min(start, content.count)
    }

    var isAtEnd: Bool { position >= content.count }

    /// Returns the remaining bytes.
    func rest() -> [UInt8] { content.copy(position..<content.count) }

    /// Reads the encoding byte; returns nil if it is invalid or no bytes remain.
    @_lifetime(self: copy self)
    mutating func encoding() -> ID3TextEncoding? {
        guard !isAtEnd, let encoding = ID3TextEncoding(rawValue: content[position]) else { return nil }
        position += 1
        return encoding
    }

    /// Reads `count` bytes as ISO-8859-1 characters; returns nil if fewer remain.
    @_lifetime(self: copy self)
    mutating func characters(_ count: Int) -> String? {
        guard content.count - position >= count else { return nil }
        defer { position += count }
        return latin1(position..<position + count)
    }

    /// Reads the text up to the next terminator, or to the end if there is none, and skips the terminator.
    @_lifetime(self: copy self)
    mutating func text(_ encoding: ID3TextEncoding) -> String {
        let start = position
        let unit = encoding.unitLength
        var end = start
        while end + unit <= content.count {
            if content[end] == 0, unit == 1 || content[end + 1] == 0 { break }
            end += unit
        }
        if end + unit > content.count {
            position = content.count
            return decode(start..<content.count, encoding)
        }
        position = end + unit
        return decode(start..<end, encoding)
    }

    /// Reads all texts up to the end.
    ///
    /// A terminator after the last text does not begin another one.
    @_lifetime(self: copy self)
    mutating func texts(_ encoding: ID3TextEncoding) -> [String] {
        var texts: [String] = []
        while !isAtEnd { texts.append(text(encoding)) }
        while texts.count > 1, texts[texts.count - 1].isEmpty { texts.removeLast() }
        return texts
    }

    @_lifetime(self: copy self)
    private mutating func decode(_ range: Range<Int>, _ encoding: ID3TextEncoding) -> String {
        switch encoding {
        case .latin1: return latin1(range)
        case .utf8: return String(decoding: content.copy(range), as: UTF8.self)
        case .utf16BigEndian: return utf16(range, isLittleEndian: false)
        case .utf16:
            guard range.count >= 2 else { return "" }
            switch content.bigEndianUInt16(at: range.lowerBound) {
            case 0xFEFF: isLittleEndian = false
            case 0xFFFE: isLittleEndian = true
            default: return utf16(range, isLittleEndian: isLittleEndian)
            }
            return utf16(range.lowerBound + 2..<range.upperBound, isLittleEndian: isLittleEndian)
        }
    }

    private func latin1(_ range: Range<Int>) -> String {
        var text = ""
        text.reserveCapacity(range.count)
        for position in range { text.unicodeScalars.append(Unicode.Scalar(content[position])) }
        return text
    }

    /// Decodes UTF-16; an odd byte at the end is half a code unit and is ignored.
    private func utf16(_ range: Range<Int>, isLittleEndian: Bool) -> String {
        var units: [UInt16] = []
        units.reserveCapacity(range.count / 2)
        var position = range.lowerBound
        while position + 1 < range.upperBound {
            let unit = content.bigEndianUInt16(at: position)
            units.append(isLittleEndian ? unit.byteSwapped : unit)
            position += 2
        }
        return String(decoding: units, as: UTF16.self)
    }
}
