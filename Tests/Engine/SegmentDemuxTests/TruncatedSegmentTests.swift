import ID3v2
import LibAVDemux
import Testing

@testable import SegmentDemux

/// Whether the facts state that a segment ends within a packet, section, box, tag or audio frame.
@Suite struct TruncatedSegmentTests {
    private typealias Builder = TransportStreamBuilder

    /// Each length of a transport stream, in each form of its packets.
    @Test(arguments: [188, 192, 204]) func transportStream_cutAnywhere_isTruncatedExceptBetweenPackets(
        stride: Int
    ) {
        var builder = Builder.withTables()
        builder.pes(SyntheticTag.nielsen(1), pts: 1)
        for index in 0..<4 { builder.audio(pts: UInt64(index)) }
        let bytes =
            stride == 188 ? builder.bytes : stride == 192 ? builder.timeCodedBytes : builder.parityBytes
        // No packet lacks bytes if the stream ends within a time code or within parity bytes.
        for count in 6 * stride...bytes.count {
            let rest = count % stride
            let isWhole = rest == 0 || stride == 192 && rest <= 4 || stride == 204 && rest >= 188
            var filter = TransportStreamFilter()
            filter.feed(bytes.span.extracting(0..<count))
            let facts = filter.finish().facts
            #expect(facts.isTruncated == !isWhole, "\(count) bytes")
            #expect(facts.malformed.first.contains { $0.rules == [.packetTruncated] } == !isWhole)
        }
    }

    /// A tag may continue in the next segment, so a PES packet that lacks bytes is not evidence.
    @Test func transportStream_withAnOpenTag_isNotTruncated() throws {
        var builder = Builder.withTables()
        let tag = SyntheticTag.nielsen(1)
        builder.pes(tag, pts: 1)
        builder.removePacket(at: 3)
        var demuxer = SegmentDemuxer()
        #expect(try !demuxer.demux(builder.bytes).facts.isTruncated)
    }

    @Test(arguments: [0, 1]) func transportStream_endingWithinASection_isTruncated(missing: Int) throws {
        var builder = Builder.withTables()
        builder.pes(SyntheticTag.nielsen(1), pts: 1)
        let streams = (0..<50).map { Builder.Stream(type: 0x06, pid: UInt16(0x300 + $0)) }
        builder.pmt(1, Builder.pmtPID, streams + [.metadata], version: 1, payloadSizes: [184, 100])
        for _ in 0..<missing { builder.removePacket(at: builder.packets.count - 1) }
        #expect(try demux(builder.bytes).facts.isTruncated == (missing > 0))
    }

    @Test func fragmentedMP4_cutAnywhere_isTruncatedExceptBetweenBoxes() throws {
        func box(_ type: String, _ payload: [UInt8]) -> [UInt8] {
            bigEndian(UInt32(payload.count + 8)) + Array(type.utf8) + payload
        }
        let boxes = [
            box("styp", [UInt8](repeating: 0, count: 8)),
            box("moof", box("mfhd", [UInt8](repeating: 0, count: 8)) + box("traf", [])),
            box("mdat", [UInt8](repeating: 0x49, count: 40)),
        ]
        let bytes = boxes.flatMap { $0 }
        let ends = [16, 16 + boxes[1].count, bytes.count]
        for count in 8...bytes.count {
            let facts = try demux(Array(bytes.prefix(count))).facts
            #expect(facts.isTruncated == !ends.contains(count), "\(count) bytes")
        }
        // A box of size 0 extends to the end of the file.
        let openEnded = Array(bytes.prefix(ends[1])) + [0, 0, 0, 0] + Array("mdat".utf8) + [1, 2, 3]
        #expect(try !demux(openEnded).facts.isTruncated)
    }

    /// Two tags and two frames, and each number of bytes from the end of the first tag on.
    @Test(arguments: [Int.max, 1]) func packedAudio_cutAnywhere_isTruncatedExceptBetweenItsParts(
        chunk: Int
    ) throws {
        let frame = PackedAudioDemuxerTests.adts(60)
        let tag = privateTag(owner: "www.nielsen.com/x")
        let parts = [timestampTag(1), frame, tag, frame, frame]
        let bytes = parts.flatMap { $0 }
        let ends = parts.indices.map { parts[...$0].reduce(0) { $0 + $1.count } }
        for count in ends[0]...bytes.count {
            let facts = try demux(Array(bytes.prefix(count)), chunk: chunk).facts
            #expect(facts.isTruncated == !ends.contains(count), "\(count) bytes")
        }
    }

    @Test func packedAudio_followedByOtherBytes_isNotTruncated() throws {
        let frame = PackedAudioDemuxerTests.adts(60)
        let bytes = timestampTag(1) + frame + frame + Array("TAG of ID3v1".utf8)
        #expect(try !demux(bytes).facts.isTruncated)
    }
}
