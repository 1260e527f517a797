import ByteReading
import ID3v2
import Testing

@Suite struct CompressionTests {
    /// Returns `bytes`, compressed by zlib.
    private static func deflated(_ bytes: [UInt8]) throws -> [UInt8] {
        try Deflation.deflate(bytes.span, .zlib, level: 9)
    }

    private static func frame(_ version: ID3Version, _ content: [UInt8]) throws -> [UInt8] {
        let data = try deflated(content)
        return switch version {
        case .v24:
            TagBytes.frame(
                .v24, "TIT2", flags: [0, 0x09], TagBytes.syncSafe(content.count) + data)
        default: TagBytes.frame(.v23, "TIT2", flags: [0, 0x80], TagBytes.plain(content.count) + data)
        }
    }

    private static func first(_ version: ID3Version, _ frame: [UInt8]) throws -> OwnedFrame {
        try #require(try OwnedTag(TagBytes.tag(version, frame)).frames.first)
    }

    @Test(arguments: [ID3Version.v23, .v24])
    func compressedContent_ofAnySize_isInflated(version: ID3Version) throws {
        for count in [0, 1, 255, 256, 257, 70_000, 2_000_000] {
            // Irregular enough to stay within the ratio limit.
            var state: UInt32 = 1
            let content = (0..<count).map { _ in
                state = state &* 1_664_525 &+ 1_013_904_223
                return UInt8(state >> 24 & 0x3F)
            }
            let frame = try Self.first(version, try Self.frame(version, content))
            #expect(frame.decoded == content, "\(count)")
            #expect(frame.dataLengthIndicator == count)
            #expect(frame.decodingDeviations == [])
            #expect(frame.storedContent == nil)
        }
    }

    @Test(arguments: [ID3Version.v23, .v24])
    func truncatedCompressedData_isADecodingError(version: ID3Version) throws {
        let whole = try Self.frame(version, [0] + Array("a compressed title".utf8))
        let frame = try Self.first(version, whole)
        #expect(frame.content == .text(id: "TIT2", values: ["a compressed title"]))
        for length in 14..<whole.count {
            let body = Array(whole[10..<length])
            let flags = Array(whole[8..<10])
            let cut = try Self.first(version, TagBytes.frame(version, "TIT2", flags: flags, body))
            #expect(cut.decodingError == .compressedDataInvalid(at: 10), "\(length)")
            #expect(cut.content == .other(id: "TIT2", size: body.count))
        }
    }

    /// 40 MiB of zeros in a frame of 40 kB: refused at the ratio limit, and without that at the size limit.
    @Test func compressionBomb_isRefusedByRatioAndSizeLimits() throws {
        let bytes = TagBytes.tag(.v24, try Self.frame(.v24, [UInt8](repeating: 0, count: 40 << 20)))
        let frame = try #require(try OwnedTag(bytes).frames.first)
        #expect(frame.decodingError == .compressedDataTooLarge(at: 10))
        var limits = InflateLimits()
        limits.maximumRatio = .max
        var frames = try ID3Tag(bytes.span).frames
        while let frame = frames.next() {
            var content: [UInt8] = []
            #expect(throws: ID3Error.compressedDataTooLarge(at: 10)) {
                try Self.decode(bytes, into: &content, limits: limits)
            }
            #expect(content.count <= (16 << 20) + (1 << 20))
            #expect(frame.declaredSize < 50_000)
        }
    }

    /// A megabyte of zeros is below the size limit, but a thousand times as long as its compressed data.
    @Test func compressionBomb_belowTheSizeLimit_isRefusedByTheRatioLimit() throws {
        let frame = try Self.first(.v24, try Self.frame(.v24, [UInt8](repeating: 0, count: 1 << 20)))
        #expect(frame.decodingError == .compressedDataTooLarge(at: 10))
    }

    /// The ratio limit does not apply to small content.
    @Test func smallContent_aboveTheRatioLimit_isInflated() throws {
        let frame = try Self.first(.v24, try Self.frame(.v24, [UInt8](repeating: 0, count: 64 << 10)))
        #expect(frame.decoded?.count == 64 << 10)
    }

    /// The flag for a length is set, but the data begins immediately.
    @Test func dataLengthIndicator_flaggedButAbsent_isADeviation() throws {
        let data = try Self.deflated([0] + Array("a title without a length".utf8))
        let frame = try Self.first(.v24, TagBytes.frame(.v24, "TIT2", flags: [0, 0x09], data))
        #expect(frame.content == .text(id: "TIT2", values: ["a title without a length"]))
        #expect(frame.decodingDeviations == .dataLengthIndicator)
    }

    /// The standard requires a length for every compressed frame.
    ///
    /// Without one, the content consists only of the data.
    @Test func compressedFrame_withoutDataLengthIndicator_isADeviation() throws {
        let data = try Self.deflated([0, 0x61])
        let frame = try Self.first(.v24, TagBytes.frame(.v24, "TIT2", flags: [0, 0x08], data))
        #expect(frame.content == .text(id: "TIT2", values: ["a"]))
        #expect(frame.decodingDeviations == .dataLengthIndicator)
    }

    @Test func compressedAndUnsynchronisedFrame_isDecodedInReverseOrder() throws {
        let content = [0] + Array("a title, compressed and unsynchronised".utf8)
        let data = TagBytes.unsynchronised(try Self.deflated(content) + [])
        let body = TagBytes.syncSafe(content.count) + data
        let frame = try Self.first(.v24, TagBytes.frame(.v24, "TIT2", flags: [0, 0x0B], body))
        #expect(frame.decoded == content)
    }

    private static func decode(
        _ bytes: [UInt8], into content: inout [UInt8], limits: InflateLimits
    ) throws {
        var frames = try ID3Tag(bytes.span).frames
        while let frame = frames.next() { try frame.decodeContent(into: &content, limits: limits) }
    }
}
