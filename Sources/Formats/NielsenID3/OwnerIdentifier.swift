import ByteReading

/// The pieces of an owner identifier.
///
///     www.nielsen.com/PC CID/FD CID/EDU blob/PC offset/FD offset/breakout
///
///     ^www\.nielsen\.com/[A-Za-z0-9_-]{22}==/[A-Za-z0-9_-]{22}==/[A-Za-z0-9_-]{167}=/[0-9]{5}/[0-9]{5}/[0-9]{2}$
struct OwnerIdentifier {
    /// The length of a valid owner identifier in characters.
    static let length = 249

    /// The positions at which the pieces of a valid owner identifier begin.
    enum Offset {
        static let pcCID = 16
        static let fdCID = 41
        static let blob = 66
        static let pcOffset = 235
        static let fdOffset = 241
        static let breakout = 247
    }

    private(set) var pcCID: ContentID?
    private(set) var fdCID: ContentID?
    private(set) var blob: WatermarkBlob?
    private(set) var pcOffset: Int?
    private(set) var fdOffset: Int?
    private(set) var breakout: Int?
    private(set) var defect: FormatDefect?

    /// Returns whether an owner identifier begins with `www.nielsen.com/`, which marks a Nielsen tag.
    @inline(__always)
    static func isNielsen(_ text: Span<UInt8>) -> Bool {
        text.count >= 16 && text.bigEndianUInt64(at: 0) == 0x7777_772E_6E69_656C
            && text.bigEndianUInt64(at: 8) == 0x7365_6E2E_636F_6D2F
    }

    /// Reads the pieces of `text`, which begins with `www.nielsen.com/`.
    @inline(__always)
    init(_ text: Span<UInt8>) {
        if let valid = OwnerIdentifier(valid: text) {
            self = valid
        } else {
            self.init(damaged: text)
        }
    }

    /// Reads the pieces of an owner identifier without a defect; returns nil if it has one.
    @inline(__always)
    init?(valid text: Span<UInt8>) {
        guard text.count == Self.length, Self.isNielsen(text),
            text.hasBytes(0x3D3D2F, before: Offset.fdCID), text.hasBytes(0x3D3D2F, before: Offset.blob),
            text.hasBytes(0x3D2F, before: Offset.pcOffset), text.hasBytes(0x2F, before: Offset.fdOffset),
            text.hasBytes(0x2F, before: Offset.breakout),
            let pcOffset = text.decimal(at: Offset.pcOffset, count: 5),
            let fdOffset = text.decimal(at: Offset.fdOffset, count: 5),
            let breakout = text.decimal(at: Offset.breakout, count: 2),
            let pcCID = ContentID(text, at: Offset.pcCID), let fdCID = ContentID(text, at: Offset.fdCID),
            let blob = WatermarkBlob(text, at: Offset.blob)
        else { return nil }
        self.pcCID = pcCID
        self.fdCID = fdCID
        self.blob = blob
        self.pcOffset = pcOffset
        self.fdOffset = fdOffset
        self.breakout = breakout
    }

    /// Reads an owner identifier piece by piece and records the first defect.
    ///
    /// A damaged piece stays nil; the next piece begins after the next `/`.
    init(damaged text: Span<UInt8>) {
        var scan = PieceScan(text)
        if let start = scan.next(.pcCID, base64: 22, padding: 2) { pcCID = ContentID(text, at: start) }
        if let start = scan.next(.fdCID, base64: 22, padding: 2) { fdCID = ContentID(text, at: start) }
        if let start = scan.next(.blob, base64: WatermarkBlob.characterCount, padding: 1) {
            blob = WatermarkBlob(text, at: start)
        }
        if let start = scan.next(.pcOffset, digits: 5) { pcOffset = text.decimal(at: start, count: 5) }
        if let start = scan.next(.fdOffset, digits: 5) { fdOffset = text.decimal(at: start, count: 5) }
        if let start = scan.next(.breakout, digits: 2) { breakout = text.decimal(at: start, count: 2) }
        defect = scan.defect
    }
}

/// A scan over the pieces of an owner identifier, starting after `www.nielsen.com/`.
private struct PieceScan: ~Escapable {
    private let text: Span<UInt8>
    private var position = OwnerIdentifier.Offset.pcCID
    private(set) var defect: FormatDefect?

    @_lifetime(copy text)
    init(_ text: Span<UInt8>) { self.text = text }

    /// Reads a base64 piece and its delimiter, and returns the position of its first character.
    ///
    /// Returns nil if the piece is invalid. The scan then continues with the next piece.
    @_lifetime(self: copy self)
    mutating func next(_ piece: FormatDefect.Piece, base64 count: Int, padding: Int) -> Int? {
        next(piece, length: count + padding) { index, character in
            index < count ? URLSafeBase64.value(of: character) < 64 : character == 0x3D
        }
    }

    /// Reads a number and its delimiter, and returns the position of its first digit, or nil if it is invalid.
    @_lifetime(self: copy self)
    mutating func next(_ piece: FormatDefect.Piece, digits count: Int) -> Int? {
        next(piece, length: count) { _, character in character &- 0x30 < 10 }
    }

    @_lifetime(self: copy self)
    private mutating func next(
        _ piece: FormatDefect.Piece, length: Int, isValid: (Int, UInt8) -> Bool
    ) -> Int? {
        let start = position
        for index in 0..<length {
            guard start + index < text.count, isValid(index, text[start + index]) else {
                skip(piece, from: start + index)
                return nil
            }
        }
        let end = start + length
        if piece == .breakout {
            if end < text.count { record(.end, end) }
            return start
        }
        guard end < text.count, text[end] == 0x2F else {
            skip(piece, from: end)
            return nil
        }
        position = end + 1
        return start
    }

    /// Records a defect and continues after the next `/`.
    @_lifetime(self: copy self)
    private mutating func skip(_ piece: FormatDefect.Piece, from defect: Int) {
        record(piece, min(defect, text.count))
        position = min(defect, text.count)
        while position < text.count, text[position] != 0x2F { position += 1 }
        position = min(position + 1, text.count)
    }

    @_lifetime(self: copy self)
    private mutating func record(_ piece: FormatDefect.Piece, _ character: Int) {
        if defect == nil { defect = FormatDefect(piece: piece, character: character) }
    }
}

extension Span<UInt8> {
    /// Returns whether the bytes before `end` equal a big-endian number of at most three bytes.
    @inline(__always)
    fileprivate func hasBytes(_ number: UInt32, before end: Int) -> Bool {
        var rest = number
        var position = end
        while rest != 0 {
            position -= 1
            guard self[position] == UInt8(truncatingIfNeeded: rest) else { return false }
            rest >>= 8
        }
        return true
    }

    /// Parses `count` decimal digits at `start`; returns nil if one of the bytes is not a digit.
    @inline(__always)
    fileprivate func decimal(at start: Int, count: Int) -> Int? {
        var value = 0
        for position in start..<start + count {
            let digit = self[position] &- 0x30
            guard digit < 10 else { return nil }
            value = 10 &* value &+ Int(digit)
        }
        return value
    }
}
