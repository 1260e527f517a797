import ID3v2
import LibAVDemux
import Testing

@testable import SegmentDemux

/// The number of bytes examined before the container is known.
@Suite struct ContainerProbeTests {
    /// Prefixes that delay the decision the longest: many tags of minimum size, one long tag, or bytes of no container.
    private static let fronts: [(name: String, bytes: [UInt8])] = [
        ("many short tags", [[UInt8]](repeating: emptyTag, count: 6_000).flatMap { $0 }),
        ("one tag of many frames", SyntheticTag.tag(id: "PRIV", [UInt8](repeating: 0, count: 60_000))),
        ("bytes of no container", [UInt8](repeating: 0x49, count: 60_000)),
    ]
    private static let emptyTag: [UInt8] = [0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 0]

    @Test(arguments: [1, 7, 188, 1_316, 60_000], fronts.map(\.name))
    func segmentStart_inChunksOfEverySize_isExaminedAFewTimes(chunkByteCount: Int, name: String) throws {
        let front = try #require(Self.fronts.first { $0.name == name }).bytes
        var probe = ContainerProbe()
        var position = 0
        var answer: ContainerProbe.Answer?
        while position < front.count, answer == nil {
            let next = min(front.count, position + chunkByteCount)
            probe.append(front.span.extracting(position..<next))
            position = next
            answer = probe.decide(isEnd: false)
        }
        answer = answer ?? probe.decide(isEnd: true)
        #expect(answer != nil)
        // Attempts at 1, 1/2, 1/4 … of the bytes, and one more at the end.
        #expect(probe.examinedByteCount <= 3 * front.count)
    }

    /// A decision that is later than necessary does not change the container or the tags.
    @Test(arguments: [1, 7, 188, 1_000, 4_096])
    func transportStream_afterTags_isFoundInChunksOfEverySize(chunkByteCount: Int) throws {
        var builder = TransportStreamBuilder.withTables()
        for number in 0..<40 { builder.pes(SyntheticTag.nielsen(number), pts: UInt64(number)) }
        let bytes = [[UInt8]](repeating: Self.emptyTag, count: 100).flatMap { $0 } + builder.bytes
        var demuxer = SegmentDemuxer()
        demuxer.beginSegment()
        for start in stride(from: 0, to: bytes.count, by: chunkByteCount) {
            let end = min(bytes.count, start + chunkByteCount)
            try demuxer.feed(bytes.span.extracting(start..<end))
        }
        let segment = try demuxer.endSegment()
        #expect(segment.facts.container == .transportStream(packetSize: 188))
        #expect(segment.facts.byteCount == UInt64(bytes.count))
        #expect(
            segment.tags.map(\.bytes) == [[UInt8]](repeating: Self.emptyTag, count: 100)
                + (0..<40).map { SyntheticTag.nielsen($0) })
    }
}
