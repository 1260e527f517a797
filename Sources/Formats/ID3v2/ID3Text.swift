import ByteReading

/// The four encodings of text in frames (ID3v2.4.0 structure, 4).
enum ID3TextEncoding: UInt8 {
    case latin1 = 0
    case utf16 = 1
    case utf16BigEndian = 2
    case utf8 = 3

    /// How many bytes end a text, all of them zero.
    var unitLength: Int { self == .utf16 || self == .utf16BigEndian ? 2 : 1 }
}

/// Reads the texts of a frame's content one after the other.
struct ID3TextReader: ~Escapable {
    private let content: Span<UInt8>

    /// The offset of the next byte.
    private(set) var position: Int

    /// The byte order of the text before, for one that has no byte order mark of its own.
    ///
    /// The standard wants a mark before every text of a frame, and some writers put one before the first only.
    private var isLittleEndian = true

    @_lifetime(copy content)
    init(_ content: Span<UInt8>, from start: Int = 0) {
        self.content = content
        position = min(start, content.count)
    }

    var isAtEnd: Bool { position >= content.count }

    /// The bytes that are left.
    func rest() -> [UInt8] { content.copy(position..<content.count) }

    /// The byte that names the encoding; nil where it names none, or nothing is left.
    @_lifetime(self: copy self)
    mutating func encoding() -> ID3TextEncoding? {
        guard !isAtEnd, let encoding = ID3TextEncoding(rawValue: content[position]) else { return nil }
        position += 1
        return encoding
    }

    /// As many bytes as ASCII characters; nil where fewer are left.
    @_lifetime(self: copy self)
    mutating func characters(_ count: Int) -> String? {
        guard content.count - position >= count else { return nil }
        defer { position += count }
        return latin1(position..<position + count)
    }

    /// The text up to the next end mark, or to the end where there is none; the mark is passed.
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

    /// All texts to the end.
    ///
    /// An end mark behind the last one begins no further text.
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

    /// An odd byte at the end is half a character and is left out.
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
