import ByteReading
import Testing

@Suite struct ZstdTests {
    private static let texts: [[UInt8]] = [
        [], [0x61], [UInt8](repeating: 0, count: 1_000_000),
        (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) },
    ]

    private func compress(_ text: [UInt8], dictionary: [UInt8]? = nil) throws -> [UInt8] {
        var settings = ZstdCompressor.Settings(level: 1)
        settings.namesDictionary = false
        var compressor = try ZstdCompressor(settings, dictionary: dictionary)
        return try compressor.compress(text.span)
    }

    @Test(arguments: texts) func text_compressed_isRestoredAsFrameAndAsStream(text: [UInt8]) throws {
        let compressed = try compress(text)
        var decompressor = try ZstdDecompressor()
        let once = try decompressor.decompress(frame: compressed.span, maximumByteCount: text.count)
        let streamed = try decompressor.decompress(stream: compressed.span, maximumByteCount: text.count)
        #expect(once == text && streamed == text)
        let two = try decompressor.decompress(
            stream: (compressed + compressed).span, maximumByteCount: text.count * 2)
        #expect(two == text + text)
    }

    @Test func frame_compressedWithADictionary_isDecompressedOnlyWithIt() throws {
        let dictionary = Array("www.nielsen.com/X100zdCIGeIlgZnkYj6UvQ==/ and more of the same".utf8)
        let text = Array("www.nielsen.com/X100zdCIGeIlgZnkYj6UvQ==/ 1".utf8)
        let compressed = try compress(text, dictionary: dictionary)
        #expect(try compressed.count < compress(text).count)
        var decompressor = try ZstdDecompressor()
        let prepared = try #require(ZstdDictionary(dictionary))
        let bytes = try decompressor.decompress(
            frame: compressed.span, dictionary: prepared, maximumByteCount: 100)
        #expect(bytes == text)
        #expect(throws: CompressionError.invalid) {
            try Self.frame(compressed, maximumByteCount: 100)
        }
    }

    @Test func zstdData_truncatedAnywhere_isInvalid() throws {
        let text = Array("a text that is long enough to be compressed, compressed".utf8)
        let compressed = try compress(text)
        for count in compressed.indices {
            let part = Array(compressed[..<count])
            #expect(throws: CompressionError.invalid) { try Self.frame(part, maximumByteCount: 100) }
            #expect(throws: CompressionError.invalid) { try Self.stream(part, maximumByteCount: 100) }
        }
    }

    @Test func data_withAnyBitFlipped_failsOrStaysWithinTheLimit() throws {
        let compressed = try compress(Array("a text that is long enough to be compressed, compressed".utf8))
        for bit in 0..<compressed.count * 8 {
            var damaged = compressed
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            for read in [Self.frame, Self.stream] {
                do {
                    let count = try read(damaged, 100).count
                    #expect(count <= 100)
                } catch {
                    #expect(error is CompressionError)
                }
            }
        }
    }

    @Test func zstdBomb_overTheLimit_isTooLarge() throws {
        let zeros = [UInt8](repeating: 0, count: 10_000_000)
        let bomb = try compress(zeros)
        for limit in [0, 1_000_000, zeros.count - 1] {
            let error = CompressionError.tooLarge(limit: limit)
            #expect(throws: error) { try Self.frame(bomb, maximumByteCount: limit) }
            #expect(throws: error) { try Self.stream(bomb, maximumByteCount: limit) }
        }
        #expect(try Self.frame(bomb, maximumByteCount: zeros.count).count == zeros.count)
    }

    /// A frame that requests a window of 2 GiB: magic number, descriptor, window descriptor.
    @Test func frame_thatAsksForAHugeWindow_isRefused() {
        #expect(throws: CompressionError.invalid) {
            try Self.stream([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xA8, 0x01, 0x00, 0x00], maximumByteCount: 1_000)
        }
    }

    @Test func outputSpan_thatIsTooSmall_isUnchanged() throws {
        var compressor = try ZstdCompressor(.init(level: 1))
        let text = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
        var isDone = true
        let bytes = [UInt8](capacity: 20) { room in
            room.append(7)
            isDone = compressor.compress(text.span, into: &room)
        }
        #expect(!isDone && bytes == [7])
    }

    @Test func setting_thatZstdRefuses_isAnError() {
        var settings = ZstdCompressor.Settings(level: 1)
        settings.hashLog = 99
        #expect(throws: CompressionError.self) { _ = try ZstdCompressor(settings) }
    }

    @Test func statedByteCount_ofFrames_isTheSumOfTheirSizes() throws {
        let compressed = try compress([UInt8](repeating: 7, count: 1_000))
        #expect(ZstdDecompressor.statedByteCount(stream: compressed.span) == 1_000)
        let two = compressed + compressed
        #expect(ZstdDecompressor.statedByteCount(stream: two.span) == 2_000)
    }

    /// A frame without a size has one block with the byte 0x61.
    @Test(
        arguments: [
            [], Array("no frame at all".utf8), [0x28, 0xB5, 0x2F, 0xFD, 0, 0, 9, 0, 0, 0x61],
        ] as [[UInt8]])
    func statedByteCount_ofAFrameWithoutSize_isNil(bytes: [UInt8]) {
        #expect(ZstdDecompressor.statedByteCount(stream: bytes.span) == nil)
    }

    private static func frame(_ bytes: [UInt8], maximumByteCount: Int) throws -> [UInt8] {
        var decompressor = try ZstdDecompressor()
        return try decompressor.decompress(frame: bytes.span, maximumByteCount: maximumByteCount)
    }

    private static func stream(_ bytes: [UInt8], maximumByteCount: Int) throws -> [UInt8] {
        var decompressor = try ZstdDecompressor()
        return try decompressor.decompress(stream: bytes.span, maximumByteCount: maximumByteCount)
    }
}
