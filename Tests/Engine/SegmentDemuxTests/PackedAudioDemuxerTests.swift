import ID3v2
import Testing

@testable import SegmentDemux

@Suite struct PackedAudioDemuxerTests {
    private static let tag = privateTag(owner: "www.nielsen.com/x")
    private static let other = privateTag(owner: "www.nielsen.com/yy")

    /// Returns an ADTS frame of 1024 samples at 48 kHz; its payload looks like the start of tags.
    static func adts(_ byteCount: Int = 100) -> [UInt8] {
        let size = UInt32(byteCount)
        let header: [UInt8] = [
            0xFF, 0xF1, 0x4C, UInt8(0x80 | size >> 11), UInt8(size >> 3 & 0xFF),
            UInt8((size & 7) << 5 | 0x1F),
            0xFC,
        ]
        let payload = (0..<byteCount - 7).map { Array("ID3\u{4}".utf8)[$0 % 4] }
        return header + payload
    }

    /// A frame of MPEG-1 layer III at 128 kbit/s and 44.1 kHz: 417 bytes.
    private static let mp3 = [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0x55, count: 413)

    /// A frame of AC-3 at 64 kbit/s and 48 kHz: 256 bytes.
    private static let ac3 = [0x0B, 0x77, 0, 0, 0x08, 0x40] + [UInt8](repeating: 0x55, count: 250)

    /// Returns a frame of E-AC-3 of 200 bytes at 48 kHz and six blocks, by stream type and substream.
    private static func eac3(type: UInt8 = 0, substream: UInt8 = 0) -> [UInt8] {
        [0x0B, 0x77, type << 6 | substream << 3, 99, 0x30, 0x80] + [UInt8](repeating: 0x55, count: 194)
    }

    private static func demux(_ bytes: [UInt8], chunk: Int? = nil) throws -> DemuxedSegment {
        var demuxer = PackedAudioDemuxer()
        return try demuxer.segment(bytes, chunk: chunk)
    }

    private static let formats: [([UInt8], CarriageFacts.AudioFormat, UInt64)] = [
        (adts(), .aac, 1_920), (mp3, .mp3, 2_351), (ac3, .ac3, 2_880), (eac3(), .eac3, 2_880),
    ]

    @Test(arguments: formats)
    func tag_betweenFrames_hasTheEndTimeOfThePrecedingAudio(
        frame: [UInt8], format: CarriageFacts.AudioFormat, ticks: UInt64
    ) throws {
        let front = timestampTag(1_000) + Self.tag
        let bytes = front + frame + frame + Self.other + frame
        let segment = try Self.demux(bytes)
        #expect(segment.facts.container == .packedAudio(format))
        // 1152 samples at 44.1 kHz are 2351.02 ticks.
        #expect(segment.tags.map(\.time?.ticks) == [1_000, 1_000, 1_000 + ticks * 2])
        #expect(segment.tags.map(\.offset) == [0, 73, front.count + 2 * frame.count])
        #expect(segment.tags.map(\.bytes) == [timestampTag(1_000), Self.tag, Self.other])
        #expect(segment.tags.allSatisfy { $0.carriage == .packedAudio && $0.completeness == .complete })
        #expect(segment.facts.earliestMediaTime == MediaTimestamp(pts: 1_000))
        #expect(segment.facts.latestMediaTime == MediaTimestamp(pts: 1_000 + ticks * 2))
        #expect(segment.facts.hasAudio == true)
        #expect(segment.facts.malformed.count == 0)
        #expect(segment.facts.byteCount == UInt64(bytes.count))
    }

    /// A hundred frames of 1024 samples at 44.1 kHz are 208979.6 ticks: fractions of ticks add up.
    @Test func ticks_overManyFrames_doNotDrift() throws {
        var frame = Self.adts(50)
        frame[2] = 0x50
        let segment = try Self.demux(
            timestampTag(0) + Array(repeating: frame, count: 100).flatMap { $0 } + Self.tag)
        #expect(segment.tags.last?.time?.ticks == 208_980)
    }

    @Test func timestamp_nearTheEndOf33Bits_wraps() throws {
        let segment = try Self.demux(
            timestampTag(MediaTimestamp.transportPeriod - 1) + Self.adts() + Self.tag)
        #expect(segment.tags.last?.time?.ticks == 1_919)
    }

    @Test func timestamp_afterOtherTags_appliesToThemToo() throws {
        let segment = try Self.demux(Self.tag + timestampTag(500) + Self.other + Self.adts())
        #expect(segment.tags.map(\.time?.ticks) == [500, 500, 500])
    }

    @Test func timestamp_inMidSegment_appliesFromThere() throws {
        let segment = try Self.demux(
            timestampTag(500) + Self.adts() + timestampTag(90_000) + Self.adts() + Self.tag)
        #expect(segment.tags.map(\.time?.ticks) == [500, 90_000, 91_920])
        #expect(segment.facts.earliestMediaTime?.ticks == 500)
    }

    @Test func tags_withoutATimestamp_haveNoTime() throws {
        let segment = try Self.demux(Self.tag + Self.adts() + Self.other)
        #expect(segment.tags.map(\.time) == [nil, nil])
        #expect(segment.facts.earliestMediaTime == nil)
        #expect(segment.facts.latestMediaTime == nil)
        #expect(segment.facts.hasAudio == nil)
    }

    @Test func dependentSubstreams_addNoDuration() throws {
        let segment = try Self.demux(
            timestampTag(0) + Self.eac3() + Self.eac3(type: 1) + Self.eac3(substream: 1) + Self.eac3()
                + Self.tag)
        #expect(segment.tags.last?.time?.ticks == 5_760)
    }

    @Test func garbage_betweenFrames_isSkippedAndReported() throws {
        let pieces: [[UInt8]] = [
            [0], [0xFF], [0xFF, 0xF1, 0, 0], Array("ID3".utf8), [0x0B, 0x77], Array(Self.adts().dropLast(50)),
        ]
        for garbage in pieces {
            let bytes = timestampTag(0) + Self.adts() + garbage + Self.adts() + Self.adts() + Self.tag
            let segment = try Self.demux(bytes)
            #expect(segment.tags.last?.bytes == Self.tag)
            // The truncated frame swallows half of the next one: one frame is counted, the other is lost.
            #expect(segment.tags.last?.time?.ticks == (3 * 1_920 as UInt64))
            #expect(segment.facts.malformed.first.last?.rule == "packed-audio.no-frame")
        }
    }

    @Test func segment_ofTagsAlone_hasAnUnknownAudioFormat() throws {
        let segment = try Self.demux(timestampTag(7) + Self.tag)
        #expect(segment.facts.container == .packedAudio(.unknown))
        #expect(segment.tags.map(\.time?.ticks) == [7, 7])
    }

    @Test func packedAudioSegment_truncatedAnywhere_yieldsTheCompleteTags() throws {
        let bytes = timestampTag(0) + Self.tag + Self.adts() + Self.other
        let ends = [73, 73 + Self.tag.count, bytes.count]
        for count in 0..<bytes.count {
            let segment = try Self.demux(Array(bytes[..<count]))
            #expect(
                segment.tags.filter { $0.completeness == .complete }.count
                    == ends.filter { $0 <= count }.count)
            for tag in segment.tags {
                #expect(Array(bytes[tag.offset..<min(count, tag.offset + tag.bytes.count)]) == tag.bytes)
            }
            if count >= 83, count < ends[1] {
                #expect(segment.tags.last?.completeness == .truncated(expected: Self.tag.count))
            }
        }
    }

    /// A size beyond the end of the segment must not hide the tags after it.
    @Test func tag_withATooLargeSize_hidesNoLaterTag() throws {
        var lying = Self.tag
        lying[7] = 0x7F
        let segment = try Self.demux(timestampTag(3) + lying + Self.other)
        #expect(segment.tags.map(\.bytes).last == Self.other)
        #expect(segment.tags.count == 3)
    }

    @Test func tag_overTheLimit_isTruncated_andDemuxingContinues() throws {
        var limits = DemuxLimits()
        limits.maximumTagByteCount = 500
        let big = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0x10, 0] + [UInt8](repeating: 0, count: 2_048)
        let bytes = timestampTag(0) + big + Self.adts() + Self.tag
        for chunk in [1, 33, 499, 500, 501, bytes.count] {
            var demuxer = PackedAudioDemuxer()
            let segment = try demuxer.segment(bytes, chunk: chunk, limits: limits)
            #expect(segment.tags.map(\.bytes.count) == [73, 500, Self.tag.count])
            #expect(segment.tags.map(\.completeness) == [.complete, .truncated(expected: 2_058), .complete])
            #expect(segment.tags.last?.time?.ticks == 1_920)
        }
    }

    @Test func packedAudioSegment_inChunksOfEverySize_isDemuxedIdentically() throws {
        let bytes =
            timestampTag(0) + Self.tag + Self.adts() + [1, 2, 0xFF] + Self.adts(60) + Self.adts(8)
            + Self.other
            + Array("ID3".utf8) + [0xFF, 0xFF] + Self.mp3 + Self.ac3 + Self.adts(30) + Self.tag.dropLast()
        let whole = try Self.demux(bytes)
        #expect(whole.tags.count == 4)
        for chunk in 1...200 {
            for skipping in [false, true] {
                var demuxer = PackedAudioDemuxer()
                #expect(
                    try demuxer.segment(bytes, chunk: chunk, skipping: skipping) == whole,
                    "chunks of \(chunk)")
            }
        }
    }

    @Test func consecutiveSegments_shareNoState() throws {
        var demuxer = PackedAudioDemuxer()
        _ = try demuxer.segment(timestampTag(5) + Self.adts().dropLast(50))
        let second = try demuxer.segment(Self.tag + Self.adts(), index: 1)
        #expect(second.tags.map(\.time) == [nil])
        #expect(second.tags.map(\.segmentIndex) == [1])
        #expect(second.tags.map(\.offset) == [0])
    }

    /// Each value of each header byte gives a frame or garbage.
    @Test func frameHeader_ofAnyBits_isValidOrNil() {
        for base in [Self.adts(), Self.mp3, Self.ac3, Self.eac3()] {
            for index in 0..<8 {
                for value in UInt8.min...UInt8.max {
                    var frame = base
                    frame[index] = value
                    guard let header = AudioFrameHeader(frame.span, at: 0) else { continue }
                    #expect(header.byteCount > 0 && header.byteCount <= 8_191)
                    #expect(header.sampleRate > 0)
                }
            }
        }
    }
}
