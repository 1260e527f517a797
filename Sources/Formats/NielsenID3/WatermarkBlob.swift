import ByteReading

/// The 125 bytes of the blob in an owner identifier.
///
/// The layout is observed on the public samples, not specified:
///
///     sequence: 2 | kind: 1 | seven blocks of 16 | first time: 4 | last time: 4 | checksum: 2
struct WatermarkBlob {
    /// How many bytes the blob has.
    static let length = 125
    /// How many characters stand for it, the one of padding left out.
    static let characterCount = 167

    /// The number of the tag in the encoder's sequence.
    let sequence: UInt16

    /// The byte that tells DATA from INFO.
    let kind: UInt8

    /// Unix seconds of the first time.
    let firstTime: UInt32

    /// Unix seconds of the last time.
    let lastTime: UInt32

    /// The sum that the blob states.
    let storedChecksum: UInt16

    /// The sum of the bytes in front of the stated one, modulo 65536.
    let computedChecksum: UInt16

    /// How many of the seven blocks hold the bytes of the null CID.
    let unusedBlockCount: Int

    /// The blob that 167 characters of `text` from `start` stand for; nil where one is outside the alphabet.
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
        // 168 characters decode to 126 bytes, the last of them from padding.
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
    /// The identifier that 22 characters of `text` from `start` stand for; nil where one is outside the alphabet.
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
        // Ten characters are 60 bits; the eleventh has the last four of `high` and the first two of `low`.
        var high: UInt64 = 0
        for index in 0..<10 { high = high &<< 6 | UInt64(values[index]) }
        let middle = UInt64(values[10])
        var low: UInt64 = middle & 3
        for index in 11..<21 { low = low &<< 6 | UInt64(values[index]) }
        low = low &<< 2 | UInt64(values[21]) &>> 4
        self.init(high: high &<< 4 | middle &>> 2, low: low)
    }
}
