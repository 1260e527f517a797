import ByteReading
internal import ID3v2

/// The header of one frame of packed audio, with its length and duration.
struct AudioFrameHeader: Sendable, Hashable {
    /// The format of the audio.
    let format: CarriageFacts.AudioFormat

    /// The length of the frame in bytes, including the header.
    let byteCount: Int

    /// Samples per channel; 0 for a frame that only extends the previous one.
    let sampleCount: Int

    /// Samples per second.
    let sampleRate: Int

    /// The number of bytes needed to detect a frame.
    static let decisionByteCount = 8

    /// Reads the header at `offset`, or returns nil if the next `decisionByteCount` bytes are not a header.
    init?(_ bytes: Span<UInt8>, at offset: Int) {
        guard bytes.count - offset >= Self.decisionByteCount else { return nil }
        let sync = bytes.bigEndianUInt16(at: offset)
        let header: AudioFrameHeader? =
            if sync & 0xFFF6 == 0xFFF0 {
                Self.adts(bytes, at: offset)
            } else if sync & 0xFFE0 == 0xFFE0 {
                Self.mpegAudio(bytes, at: offset)
            } else if sync == 0x0B77 {
                Self.ac3(bytes, at: offset)
            } else {
                nil
            }
        guard let header else { return nil }
        self = header
    }

    private init(format: CarriageFacts.AudioFormat, byteCount: Int, sampleCount: Int, sampleRate: Int) {
        self.format = format
        self.byteCount = byteCount
        self.sampleCount = sampleCount
        self.sampleRate = sampleRate
    }

    /// Returns whether two frames may belong to one stream: their format and sample rate are the same.
    func isAlike(_ other: AudioFrameHeader) -> Bool {
        format == other.format && sampleRate == other.sampleRate
    }

    // MARK: AAC

    private static let adtsRates = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
    ]

    /// Reads the header of an ADTS frame (ISO/IEC 13818-7, 6.2), with 1024 samples per raw data block.
    private static func adts(_ bytes: Span<UInt8>, at offset: Int) -> AudioFrameHeader? {
        let rateIndex = Int(bytes[offset + 2] >> 2 & 0x0F)
        let byteCount = Int(bytes.bigEndianUInt24(at: offset + 3) >> 5 & 0x1FFF)
        let isProtected = bytes[offset + 1] & 0x01 == 0
        guard rateIndex < adtsRates.count, byteCount >= (isProtected ? 9 : 7) else { return nil }
        let blockCount = Int(bytes[offset + 6] & 0x03) + 1
        return AudioFrameHeader(
            format: .aac, byteCount: byteCount, sampleCount: 1_024 * blockCount,
            sampleRate: adtsRates[rateIndex])
    }

    // MARK: MPEG audio

    /// Bit rates in kbit/s by index, starting at 1 (ISO/IEC 11172-3, 2.4.2.3 and 13818-3, 2.4.2.3).
    private static let bitRates1: [[Int]] = [
        [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    ]
    private static let bitRates2: [[Int]] = [
        [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
        [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]

    /// Reads the header of a frame of MPEG-1, MPEG-2 or MPEG-2.5 audio, layers I to III.
    ///
    /// Frames of free format are rejected, because their header does not give their length.
    private static func mpegAudio(_ bytes: Span<UInt8>, at offset: Int) -> AudioFrameHeader? {
        let version = bytes[offset + 1] >> 3 & 0x03
        let layer = 4 - Int(bytes[offset + 1] >> 1 & 0x03)
        let bitRateIndex = Int(bytes[offset + 2] >> 4)
        let rateIndex = Int(bytes[offset + 2] >> 2 & 0x03)
        guard version != 1, layer <= 3, (1...14).contains(bitRateIndex), rateIndex < 3 else { return nil }
        let isVersion1 = version == 3
        let divisor = isVersion1 ? 1 : version == 2 ? 2 : 4
        let sampleRate = [44_100, 48_000, 32_000][rateIndex] / divisor
        let bitRate = (isVersion1 ? bitRates1 : bitRates2)[layer - 1][bitRateIndex - 1] * 1_000
        let padding = Int(bytes[offset + 2] >> 1 & 0x01)
        let sampleCount = layer == 1 ? 384 : layer == 3 && !isVersion1 ? 576 : 1_152
        let byteCount =
            layer == 1
            ? (12 * bitRate / sampleRate + padding) * 4 : sampleCount / 8 * bitRate / sampleRate + padding
        return AudioFrameHeader(
            format: .mp3, byteCount: byteCount, sampleCount: sampleCount, sampleRate: sampleRate)
    }

    // MARK: AC-3

    private static let ac3BitRates = [
        32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
    ]
    private static let ac3Rates = [48_000, 44_100, 32_000]

    /// Reads the header of a frame of AC-3 (ETSI TS 102 366, 4.3) or Enhanced AC-3 (annex E, 1.2), depending on `bsid`.
    private static func ac3(_ bytes: Span<UInt8>, at offset: Int) -> AudioFrameHeader? {
        let bsid = bytes[offset + 5] >> 3
        guard bsid <= 16 else { return nil }
        let rateCode = Int(bytes[offset + 4] >> 6)
        if bsid > 10 { return enhancedAC3(bytes, at: offset, rateCode: rateCode) }
        let sizeCode = Int(bytes[offset + 4] & 0x3F)
        guard rateCode < 3, sizeCode / 2 < ac3BitRates.count else { return nil }
        // Two-byte words per 1536 samples (table 4.13); at 44.1 kHz, odd size codes have one more.
        let bitRate = ac3BitRates[sizeCode / 2]
        let wordCount = [bitRate * 2, bitRate * 320 / 147 + sizeCode % 2, bitRate * 3][rateCode]
        // Values of 9 and 10 in `bsid` mark streams of half and quarter rate.
        let halvings = max(0, Int(bsid) - 8)
        return AudioFrameHeader(
            format: .ac3, byteCount: wordCount * 2, sampleCount: 1_536,
            sampleRate: ac3Rates[rateCode] >> halvings)
    }

    private static func enhancedAC3(
        _ bytes: Span<UInt8>, at offset: Int, rateCode: Int
    ) -> AudioFrameHeader? {
        let streamType = bytes[offset + 2] >> 6
        let substream = bytes[offset + 2] >> 3 & 0x07
        let byteCount = (Int(bytes.bigEndianUInt16(at: offset + 2) & 0x07FF) + 1) * 2
        let blockCode = Int(bytes[offset + 4] >> 4 & 0x03)
        guard streamType < 3, byteCount >= decisionByteCount else { return nil }
        var sampleRate = 0
        var blockCount = 6
        if rateCode == 3 {
            // `fscod2` replaces the number of blocks: half of the three rates, six blocks.
            guard blockCode < 3 else { return nil }
            sampleRate = ac3Rates[blockCode] / 2
        } else {
            sampleRate = ac3Rates[rateCode]
            blockCount = [1, 2, 3, 6][blockCode]
        }
        // Dependent substreams, and independent ones after the first, play together with the first.
        let isFurther = streamType == 1 || substream != 0
        return AudioFrameHeader(
            format: .eac3, byteCount: byteCount, sampleCount: isFurther ? 0 : blockCount * 256,
            sampleRate: sampleRate)
    }
}
