import ByteReading

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
