import Foundation
import Synchronization
import Testing

@testable import SegmentDemux

/// Bytes that may change while they are read give what bytes that cannot change give, as long as they do not.
@Suite struct SharedBytesTests {
    private typealias Builder = TransportStreamBuilder

    /// A segment with front tags, a loss of sync, a repeat and a cut at its end, and media between them.
    private static let odd: [UInt8] = {
        var builder = Builder.withTables()
        for index in 0..<40 {
            builder.video(pts: UInt64(index) * 100)
            builder.audio(pts: UInt64(index) * 100 + 1)
            if index % 8 == 0 { builder.pes(SyntheticTag.nielsen(index), pts: UInt64(index) * 100 + 2) }
        }
        builder.repeatPacket(at: builder.packets.count - 1)
        let early = builder.bytes
        builder.tables([.audio, .init(type: 0x15, pid: 0x133)], version: 3)
        for index in 0..<40 { builder.audio(pts: 9_000 + UInt64(index)) }
        builder.pes(SyntheticTag.nielsen(5), pts: 9_100, pid: 0x133)
        let garbage = (0..<277).map { UInt8($0 * 7 % 251) }
        return SyntheticTag.timestamp(90_000) + SyntheticTag.nielsen(0) + early + garbage
            + builder.bytes.dropFirst(early.count) + [0x47, 0x01, 0x33]
    }()

    private static let timeCoded: [UInt8] = {
        var builder = Builder.withTables()
        for index in 0..<9 {
            builder.pes(SyntheticTag.nielsen(index), pts: UInt64(index))
            for number in 0..<20 { builder.audio(pts: UInt64(index * 20 + number)) }
        }
        return builder.timeCodedBytes
    }()

    private func demux(shared bytes: [UInt8], chunk: Int) throws -> DemuxedSegment {
        var demuxer = SegmentDemuxer()
        demuxer.beginSegment()
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            try demuxer.feed(
                shared: bytes.span.extracting(start..<min(bytes.count, start + min(chunk, bytes.count))))
        }
        return try demuxer.endSegment()
    }

    @Test(arguments: Array(1...205) + [375, 376, 377, 1_000, 4_095, 4_097, 100_000])
    func chunks_ofEachSize_giveTheSame(size: Int) throws {
        for bytes in [Self.odd, Self.timeCoded] {
            let expected = try SegmentDemuxTests.demux(bytes)
            #expect(expected.tags.count >= 7)
            #expect(try demux(shared: bytes, chunk: size) == expected)
        }
    }

    /// Fed both ways in turn, as a file is of which the front is read and the rest mapped.
    @Test(arguments: Array(stride(from: 0, to: 2_000, by: 37)))
    func frontThatIsRead_withTheRestShared_givesTheSame(frontByteCount: Int) throws {
        var demuxer = SegmentDemuxer()
        demuxer.beginSegment()
        try demuxer.feed(Self.odd.span.extracting(0..<frontByteCount))
        try demuxer.feed(shared: Self.odd.span.extracting(frontByteCount..<Self.odd.count))
        #expect(try demuxer.endSegment() == SegmentDemuxTests.demux(Self.odd))
    }

    @Test func transportStreams_areReadInPlace_othersAreNot() throws {
        let cases = [
            (Self.odd, true), (Array("....ftypisom....".utf8), false), (timestampTag(9_000), false),
            ([UInt8](repeating: 0x20, count: 300_000), false),
        ]
        for (bytes, expected) in cases {
            var demuxer = SegmentDemuxer()
            demuxer.beginSegment()
            try demuxer.feed(bytes.span)
            let readsInPlace = demuxer.readsInPlace
            #expect(readsInPlace == expected)
            var preparer = SegmentPreparer()
            preparer.feed(bytes.span)
            let preparesInPlace = preparer.readsInPlace
            #expect(preparesInPlace == expected)
        }
    }

    @Test(arguments: [1, 187, 188, 189, 4_096, 100_000])
    func preparation_ofSharedBytes_isTheSame(chunk: Int) throws {
        for bytes in [Self.odd, Self.timeCoded] {
            var preparer = SegmentPreparer()
            for start in stride(from: 0, to: bytes.count, by: chunk) {
                preparer.feed(shared: bytes.span.extracting(start..<min(bytes.count, start + chunk)))
            }
            let finished = preparer.finish()
            let preparation = try #require(finished)
            var demuxer = SegmentDemuxer()
            demuxer.beginSegment()
            #expect(try demuxer.endSegment(prepared: preparation) == SegmentDemuxTests.demux(bytes))
        }
    }

    /// Every byte is something else each time it is looked at, in a map that a thread writes to all the time.
    @Test func bytes_thatChangeAllTheTime_giveSomeResult() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("dtvr-\(UUID().uuidString)")
        try Data(Self.odd).write(to: url)
        let file = try FileHandle(forUpdating: url)
        try FileManager.default.removeItem(at: url)
        let size = Self.odd.count
        // The map is this test's alone; whoever writes to it does so through the file.
        let map = unsafe mmap(nil, size, PROT_READ, MAP_SHARED, file.fileDescriptor, 0)
        guard let map = unsafe map, unsafe map != MAP_FAILED else {
            Issue.record("cannot be mapped: \(errno)")
            return
        }
        defer { _ = unsafe munmap(map, size) }
        let isDone = Flag()
        let writer = Thread {
            var random = SplitMix(state: 1)
            while !isDone.isSet {
                // Whole packets and single bytes, right and wrong ones.
                let place = Int(random.next() % UInt64(size - 188))
                let count = random.next() % 2 == 0 ? 1 : 188
                let from = random.next() % 3 == 0 ? Int(random.next() % UInt64(size - 188)) : place
                var piece = Array(Self.odd[from..<from + count])
                if random.next() % 3 == 0 { piece[Int(random.next() % UInt64(count))] &+= 1 }
                do {
                    try file.seek(toOffset: UInt64(place))
                    try file.write(contentsOf: piece)
                } catch {
                    Issue.record("\(error)")
                }
            }
        }
        writer.start()
        defer { isDone.set() }
        let bytes = unsafe UnsafeRawBufferPointer(start: map, count: size).bindMemory(to: UInt8.self)
        for _ in 0..<300 {
            var demuxer = SegmentDemuxer()
            demuxer.beginSegment()
            try demuxer.feed(shared: unsafe bytes.span)
            let segment = try demuxer.endSegment()
            #expect(segment.facts.byteCount == UInt64(size))
            for tag in segment.tags { #expect(tag.bytes.starts(with: Array("ID3".utf8))) }
        }
    }

    @Test(.enabled(if: CorpusFiles.isPresent, "the reference files are absent"))
    func referenceFiles_areTheSame() throws {
        let paths = [".ts", ".aac", ".m4s", ".mp4"].flatMap { CorpusFiles.paths(endingIn: $0) }.sorted()
        #expect(paths.count > 50)
        for path in paths {
            let bytes = try CorpusFiles.bytes(path)
            let expected = try SegmentDemuxTests.demux(bytes)
            for chunk in [1_000, 1 << 20] {
                #expect(try demux(shared: bytes, chunk: chunk) == expected, "\(path)")
            }
        }
    }
}

/// Said once, by one thread to another.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() { value.store(true, ordering: .relaxed) }
}
