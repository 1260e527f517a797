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

/// The 125 bytes of the blob in an owner identifier.
///
/// The layout is not specified; it was observed on the public samples:
///
///     sequence: 2 | kind: 1 | seven blocks of 16 | first time: 4 | last time: 4 | checksum: 2
struct WatermarkBlob {
    /// The number of base64 characters that encode the blob, without the padding.
    static let characterCount = 167

    /// The number of the tag in the encoder's sequence.
    let sequence: UInt16

    /// The byte that distinguishes DATA from INFO.
    let kind: UInt8

    /// The first time in Unix seconds.
    let firstTime: UInt32

    /// The last time in Unix seconds.
    let lastTime: UInt32

    /// The checksum stored in the blob.
    let storedChecksum: UInt16

    /// The sum of the bytes before the stored checksum, modulo 65536.
    let computedChecksum: UInt16

    /// The number of the seven blocks that contain the null CID.
    let unusedBlockCount: Int

    /// Decodes a blob from 167 characters of `text` at `start`; returns nil if one is not in the alphabet.
    @inline(__always)
    init?(_ text: Span<UInt8>, at start: Int) {
        let characters = text.extracting(start..<start + Self.characterCount)
        var values = InlineArray<168, UInt8>(repeating: 0)
        var union: UInt8 = 0
        for index in 0..<Self.characterCount {
            let value = URLSafeBase64.value(of: characters[index])
            values[index] = value
            union |= value
        }
        guard union < 0x80 else { return nil }
        // 168 characters decode to 126 bytes; the last byte is padding.
        var bytes = InlineArray<126, UInt8>(repeating: 0)
        for group in 0..<42 {
            let first = values[4 &* group]
            let second = values[4 &* group &+ 1]
            let third = values[4 &* group &+ 2]
            let fourth = values[4 &* group &+ 3]
            bytes[3 &* group] = first &<< 2 | second &>> 4
            bytes[3 &* group &+ 1] = second &<< 4 | third &>> 2
            bytes[3 &* group &+ 2] = third &<< 6 | fourth
        }
        var sum: UInt16 = 0
        for index in 0..<123 { sum &+= UInt16(bytes[index]) }
        computedChecksum = sum
        let blob = bytes.span
        var unusedBlockCount = 0
        for block in 0..<7 {
            let high = blob.bigEndianUInt64(at: 3 &+ 16 &* block)
            let low = blob.bigEndianUInt64(at: 11 &+ 16 &* block)
            if high == ContentID.null.high && low == ContentID.null.low { unusedBlockCount &+= 1 }
        }
        self.unusedBlockCount = unusedBlockCount
        sequence = blob.bigEndianUInt16(at: 0)
        kind = bytes[2]
        firstTime = blob.bigEndianUInt32(at: 115)
        lastTime = blob.bigEndianUInt32(at: 119)
        storedChecksum = blob.bigEndianUInt16(at: 123)
    }
}

extension ContentID {
    /// Decodes an identifier from 22 characters of `text` at `start`; returns nil if one is not in the alphabet.
    @inline(__always)
    init?(_ text: Span<UInt8>, at start: Int) {
        let characters = text.extracting(start..<start + 22)
        var values = InlineArray<24, UInt8>(repeating: 0)
        var union: UInt8 = 0
        for index in 0..<22 {
            let value = URLSafeBase64.value(of: characters[index])
            values[index] = value
            union |= value
        }
        guard union < 0x80 else { return nil }
        // Ten characters hold 60 bits; the eleventh holds the last four bits of `high` and the first two of `low`.
        var high: UInt64 = 0
        for index in 0..<10 { high = high &<< 6 | UInt64(values[index]) }
        let middle = UInt64(values[10])
        var low: UInt64 = middle & 3
        for index in 11..<21 { low = low &<< 6 | UInt64(values[index]) }
        low = low &<< 2 | UInt64(values[21]) &>> 4
        self.init(high: high &<< 4 | middle &>> 2, low: low)
    }
}
