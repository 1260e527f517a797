import ByteReading
import Testing

@Suite struct InflationTests {
    private static let texts: [[UInt8]] = [
        [], [0x61], Array("Nielsen ".utf8) + Array("Nielsen ".utf8), [UInt8](repeating: 0, count: 200_000),
        (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) },
    ]

    private func inflate(
        _ bytes: [UInt8], _ format: Inflation.Format, limit: Int
    ) throws(CompressionError) -> (bytes: [UInt8], consumed: Int) {
        var output: [UInt8] = [0xEE]
        let consumed = try Inflation.inflate(
            bytes.span, format, maximumByteCount: limit, appendingTo: &output)
        return (Array(output.dropFirst()), consumed)
    }

    @Test(arguments: [Inflation.Format.zlib, .gzip], texts)
    func text_deflatedAndInflated_isUnchanged(format: Inflation.Format, text: [UInt8]) throws {
        for level in [0, 1, 6, 9] as [Int32] {
            let compressed = try Deflation.deflate(text.span, format, level: level)
            let (bytes, consumed) = try inflate(compressed, format, limit: text.count)
            #expect(bytes == text && consumed == compressed.count)
        }
    }

    @Test func statedByteCount_ofAGzipMember_isTheSizeOfItsText() throws {
        let compressed = try Deflation.deflate([UInt8](repeating: 7, count: 66_051).span, .gzip)
        #expect(Inflation.statedByteCount(gzip: compressed.span) == 66_051)
        let tooShort = Array(compressed[..<17])
        #expect(Inflation.statedByteCount(gzip: tooShort.span) == nil)
        let shortest = [UInt8](repeating: 0, count: 18)
        #expect(Inflation.statedByteCount(gzip: shortest.span) == 0)
    }

    @Test(arguments: [Inflation.Format.zlib, .gzip])
    func deflatedData_truncatedAnywhere_isInvalid(format: Inflation.Format) throws {
        let text = Array("a text that is long enough to be compressed, compressed".utf8)
        let compressed = try Deflation.deflate(text.span, format)
        for count in compressed.indices {
            #expect(throws: CompressionError.invalid) {
                try inflate(Array(compressed[..<count]), format, limit: 1_000)
            }
        }
    }

    @Test(arguments: [Inflation.Format.zlib, .gzip])
    func data_withAnyBitFlipped_failsOrInflatesToTheSameText(format: Inflation.Format) throws {
        let text = Array("a text that is long enough to be compressed, compressed".utf8)
        let compressed = try Deflation.deflate(text.span, format)
        for bit in 0..<compressed.count * 8 {
            var damaged = compressed
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            // Some bits of a gzip header do not affect the text.
            do throws(CompressionError) {
                let bytes = try inflate(damaged, format, limit: 1_000).bytes
                #expect(bytes == text)
            } catch {
                #expect(error == .invalid || error == .tooLarge(limit: 1_000))
            }
        }
    }

    /// 50 MB of zeros in 50 kB: refused at the limit, with at most one byte above it in memory.
    @Test func gzipBomb_overTheLimit_isTooLarge() throws {
        let zeros = [UInt8](repeating: 0, count: 50_000_000)
        let bomb = try Deflation.deflate(zeros.span, .gzip, level: 9)
        var output: [UInt8] = []
        #expect(throws: CompressionError.tooLarge(limit: 1_000_000)) {
            try Inflation.inflate(bomb.span, .gzip, maximumByteCount: 1_000_000, appendingTo: &output)
        }
        #expect(output.count == 1_000_001)
        #expect(throws: CompressionError.tooLarge(limit: zeros.count - 1)) {
            try inflate(bomb, .gzip, limit: zeros.count - 1)
        }
        #expect(try inflate(bomb, .gzip, limit: zeros.count).bytes.count == zeros.count)
    }

    @Test func bytesAfterTheEnd_areNotConsumed() throws {
        let compressed = try Deflation.deflate([1, 2, 3].span, .gzip)
        let (bytes, consumed) = try inflate(compressed + compressed, .gzip, limit: 10)
        #expect(bytes == [1, 2, 3] && consumed == compressed.count)
    }

    /// The output of Python's gzip module.
    @Test func gzip_writtenByPython_isInflated() throws {
        let bytes: [UInt8] = [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xFF, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x57,
            0xC8, 0x40, 0x27, 0xB9, 0x00, 0x00, 0x88, 0x59, 0x0B, 0x18, 0x00, 0x00, 0x00,
        ]
        let text = String(decoding: try inflate(bytes, .gzip, limit: 100).bytes, as: UTF8.self)
        #expect(text == "hello hello hello hello\n")
    }

    /// Returns the text of gzip data that arrives in pieces of a size, and whether it is complete.
    private func decompress(
        _ data: [UInt8], in size: Int, limit: Int = 1_000_000
    ) throws(CompressionError) -> (text: [UInt8], isComplete: Bool) {
        var stream = try GzipStream(maximumByteCount: limit)
        var text: [UInt8] = []
        for start in stride(from: 0, to: data.count, by: size) {
            let piece = Array(data[start..<min(start + size, data.count)])
            try stream.decompress(piece.span) { bytes in
                text += bytes
                return true
            }
        }
        return (text, stream.isComplete)
    }

    @Test(arguments: texts, [1, 7, 100_000])
    func gzipMembers_inPiecesOfAnySize_areOneText(text: [UInt8], size: Int) throws {
        let first = try Deflation.deflate(text.span, .gzip)
        let last = try Deflation.deflate(Array("end".utf8).span, .gzip)
        let result = try decompress(first + last + [0, 0, 0], in: size)
        #expect(result.text == text + Array("end".utf8) && result.isComplete)
    }

    @Test func truncatedGzipStream_hasTheTextSoFar_andIsNotComplete() throws {
        let text = [UInt8]((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) })
        let data = try Deflation.deflate(text.span, .gzip)
        let part = try decompress(Array(data.dropLast(5)), in: 1_000)
        #expect(!part.isComplete && part.text.count > 40_000 && text.starts(with: part.text))
        #expect(try !decompress([], in: 1).isComplete)
        #expect(throws: CompressionError.invalid) { try decompress(data + [1, 2], in: 1_000) }
        var damaged = data
        damaged[data.count / 2] ^= 0x55
        #expect(throws: CompressionError.invalid) { try decompress(damaged, in: 1_000) }
    }

    @Test func gzipStream_hasALimit_overAllMembers() throws {
        let member = try Deflation.deflate([UInt8](repeating: 7, count: 600_000).span, .gzip)
        #expect(try decompress(member + member, in: 500, limit: 1_200_000).text.count == 1_200_000)
        #expect(throws: CompressionError.tooLarge(limit: 1_199_999)) {
            try decompress(member + member, in: 500, limit: 1_199_999)
        }
    }

    @Test func gzipStream_whoseTextIsNotWanted_ends() throws {
        let data = try Deflation.deflate([UInt8](repeating: 7, count: 3_000_000).span, .gzip)
        var stream = try GzipStream(maximumByteCount: 5_000_000)
        var count = 0
        try stream.decompress(data.span) { bytes in
            count += bytes.count
            return false
        }
        #expect(count == 256 << 10)
    }
}
