import ID3v2
import LibAVDemux
import Testing

@testable import SegmentDemux

/// Segments that are filtered independently give the same result as segments fed in order.
@Suite struct SegmentFilterTests {
    private typealias Builder = TransportStreamBuilder

    /// A segment, and whether it follows a discontinuity.
    private typealias Segment = (bytes: [UInt8], isDiscontinuous: Bool)

    private func filter(_ bytes: [UInt8], chunk: Int = .max) -> FilteredSegment? {
        var filter = SegmentFilter()
        var position = 0
        while position < bytes.count {
            let rest = bytes.count - position
            let skippable = Int(clamping: min(filter.skippableByteCount, UInt64(rest)))
            if skippable > 0 {
                filter.skip(UInt64(skippable))
                position += skippable
                continue
            }
            let next = position + min(chunk, rest)
            filter.feed(bytes.span.extracting(position..<next))
            position = next
        }
        return filter.finish()
    }

    /// Compares segments that are demuxed in order, filtered first, and demuxed with memory released between them.
    ///
    /// Returns the number of segments that could be filtered independently.
    private func compare(_ segments: [Segment], chunk: Int = .max) throws -> Int {
        var inOrder = SegmentDemuxer()
        var apart = SegmentDemuxer()
        var forgetful = SegmentDemuxer()
        var filteredCount = 0
        for (index, segment) in segments.enumerated() {
            let isDiscontinuous = segment.isDiscontinuous
            let expected = Self.result { () throws(DemuxError) in
                try inOrder.demux(segment.bytes, isDiscontinuous: isDiscontinuous)
            }
            let filtered = filter(segment.bytes, chunk: chunk)
            if filtered != nil { filteredCount += 1 }
            let found = Self.result { () throws(DemuxError) in
                if let filtered { return try apart.demux(filtered, isDiscontinuous: isDiscontinuous) }
                return try apart.demux(segment.bytes, isDiscontinuous: isDiscontinuous)
            }
            #expect(found == expected, "segment \(index)")
            let afterRelease = Self.result { () throws(DemuxError) in
                try forgetful.demux(segment.bytes, isDiscontinuous: isDiscontinuous)
            }
            #expect(afterRelease == expected, "segment \(index), memory released before it")
            forgetful.releaseMemory()
        }
        let last = inOrder.finish()
        #expect(apart.finish() == last)
        #expect(forgetful.finish() == last)
        return filteredCount
    }

    private static func result(
        _ demux: () throws(DemuxError) -> DemuxedSegment
    ) -> Result<DemuxedSegment, DemuxError> { Result(catching: demux) }

    /// Tags of two packets, the second of them in the next segment, at every boundary.
    @Test(arguments: [1, 7, 188, 189, 4_096, .max]) func tagsAcrossSegments_filtered_areDemuxedAsInOrder(
        chunk: Int
    ) throws {
        var builder = Builder()
        var starts: [Int] = []
        for index in 0..<6 {
            builder.tables()
            builder.audio(pts: UInt64(index) * 90_000)
            builder.pes(SyntheticTag.nielsen(index), pts: UInt64(index) * 90_000)
            starts.append(builder.packets.count - 1)
        }
        // Every segment begins with the tables, and the end of the previous tag follows them.
        var segments: [Segment] = []
        var begin = 0
        for start in starts {
            var packets = Array(builder.packets[begin..<start])
            if begin > 0 { packets.insert(packets.removeFirst(), at: 2) }
            segments.append((packets.flatMap { $0 }, false))
            begin = start
        }
        segments.append((builder.packets[begin...].flatMap { $0 }, false))
        #expect(try compare(segments, chunk: chunk) >= 6)
        var demuxer = SegmentDemuxer()
        let tags = try segments.flatMap { try demuxer.demux($0.bytes).tags } + demuxer.finish()
        #expect(tags.map(\.bytes) == (0..<6).map { SyntheticTag.nielsen($0) })
    }

    @Test func segments_withoutTables_mustBeReadInOrder() throws {
        var segments: [Segment] = []
        for index in 0..<6 {
            var builder = index == 0 ? Builder.withTables() : Builder()
            builder.audio(pts: UInt64(index) * 90_000)
            builder.pes(SyntheticTag.nielsen(index), pts: UInt64(index) * 90_000)
            segments.append((builder.bytes, false))
        }
        #expect(try compare(segments) == 1)
    }

    @Test func segmentWithoutTables_isFoundToNeedOrder_fromItsFirstPackets() {
        var builder = Builder()
        for index in 0..<20 { builder.audio(pts: UInt64(index)) }
        var filter = SegmentFilter()
        filter.feed(builder.bytes.span)
        let mustBeReadInOrder = filter.mustBeReadInOrder
        #expect(mustBeReadInOrder)
        let filtered = filter.finish()
        #expect(filtered == nil)
    }

    /// An initialization segment and its media segments, packed audio, garbage, and a tag that continues across them.
    @Test(arguments: [1, 7, 1_000, .max]) func segmentsOfEachContainer_filtered_areDemuxedAsInOrder(
        chunk: Int
    ) throws {
        let tag = SyntheticTag.nielsen(1)
        var first = Builder.withTables()
        first.pes(Array(tag.prefix(100)), pts: 1)
        var last = Builder.withTables()
        last.pes(Array(tag.dropFirst(100)), pts: 2)
        let audio = PackedAudioDemuxerTests.adts()
        let segments: [Segment] = [
            (first.bytes, false), ([], false), ([UInt8](repeating: 0x20, count: 200_000), false),
            (Array("#EXTM3U\n".utf8), false), (last.bytes, false),
            (timestampTag(9_000) + audio + tag + audio, false), (first.bytes, false),
            (FragmentedMP4DemuxerTests.initializationOfAudio, false),
            (FragmentedMP4DemuxerTests.segmentOfAudio(message: 1), false),
            (FragmentedMP4DemuxerTests.segmentOfAudio(message: 2), false),
            (FragmentedMP4DemuxerTests.segmentOfAudio(message: 3), true), (last.bytes, false),
        ]
        #expect(try compare(segments, chunk: chunk) == segments.count)
        var demuxer = SegmentDemuxer()
        var demuxed: [DemuxedSegment] = []
        for (index, segment) in segments.enumerated() {
            do throws(DemuxError) {
                demuxed.append(try demuxer.demux(segment.bytes, isDiscontinuous: segment.isDiscontinuous))
            } catch {
                #expect(error == .unknownContainer(byteCount: UInt64(segment.bytes.count)))
                #expect((1...3).contains(index))
            }
        }
        #expect(demuxed.map(\.tags.count) == [0, 1, 2, 0, 1, 1, 1, 1, 0])
        #expect(demuxed.map(\.facts.changedEventMessages.count) == [0, 0, 0, 0, 0, 0, 1, 0, 0])
        #expect(demuxed[5].tags.first?.time == MediaTimestamp(ticks: 48_010, timescale: 48_000))
    }

    @Test func eventMessage_overTheFilterLimit_mustBeReadInOrder() throws {
        let long = SyntheticTag.text(byteCount: SegmentFilter.maximumByteCount)
        let bytes = FragmentedMP4DemuxerTests.eventMessage(long)
        #expect(try compare([(bytes, false)], chunk: 4_096) == 0)
        #expect(try compare([(timestampTag(1) + long, false)], chunk: 4_096) == 0)
    }

    @Test func metadata_overTheFilterLimit_mustBeReadInOrder() throws {
        func segment(_ tagCount: Int) -> [UInt8] {
            var builder = Builder.withTables()
            for index in 0..<tagCount { builder.pes(SyntheticTag.nielsen(index % 10), pts: UInt64(index)) }
            return builder.bytes
        }
        let fitting = SegmentFilter.maximumByteCount / (2 * 188) - 1
        #expect(try compare([(segment(fitting), false), (segment(fitting), false)]) == 2)
        #expect(try compare([(segment(fitting + 1), false)]) == 0)
    }

    /// Streams with random damage, the same in each run.
    @Test(arguments: 0..<40) func damagedStreams_filtered_areDemuxedAsInOrder(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var segments: [Segment] = []
        var version: UInt8 = 0
        var builder = Builder()
        for index in 0..<12 {
            if random.next(5) == 0 { version = (version + 1) % 32 }
            let pid: UInt16 = random.next(4) == 0 ? 0x142 : Builder.metadataPID
            let begin = builder.packets.count
            if random.next(6) == 0 { builder.audio(pts: UInt64(index) * 9_000) }
            if random.next(5) != 0 {
                builder.tables(
                    [.video, .audio, .init(type: 0x15, pid: pid, descriptors: Builder.metadataDescriptor)],
                    version: version)
            }
            for number in 0..<4 {
                builder.audio(pts: UInt64(index * 10 + number) * 9_000)
                let tag = SyntheticTag.nielsen(index * 4 + number)
                builder.pes(
                    random.next(4) == 0 ? Array(tag.prefix(190)) : tag,
                    pts: UInt64(index * 10 + number) * 9_000, pid: pid)
            }
            var packets = Array(builder.packets[begin...])
            switch random.next(8) {
            case 0: packets.remove(at: random.next(packets.count))
            case 1:
                let place = random.next(packets.count)
                packets.insert(packets[place], at: place)
            case 2: packets[random.next(packets.count)][random.next(188)] ^= UInt8(1 + random.next(255))
            case 3: packets.removeLast(random.next(4))
            case 4: packets.swapAt(random.next(packets.count), random.next(packets.count))
            default: break
            }
            var bytes = packets.flatMap { $0 }
            switch random.next(8) {
            case 0: bytes.removeLast(random.next(188))
            case 1: bytes = timestampTag(UInt64(index)) + bytes
            case 2: bytes.removeFirst(random.next(188))
            default: break
            }
            segments.append((bytes, random.next(6) == 0))
        }
        let chunk = random.next(2) == 0 ? Int.max : 1 + random.next(1_000)
        #expect(try compare(segments, chunk: chunk) > 0)
    }

    /// Each reference file as if it were the next segment of one playlist.
    @Test(.enabled(if: CorpusFiles.isPresent, "the reference files are absent"))
    func referenceFiles_filtered_areDemuxedAsInOrder() throws {
        let suffixes = [".ts", ".aac", ".m4s", ".mp4"]
        let paths = suffixes.flatMap { CorpusFiles.paths(endingIn: $0) }.sorted()
        let segments: [Segment] = try paths.map { (try CorpusFiles.bytes($0), false) }
        #expect(try compare(segments) > 10)
    }
}

extension SplitMix {
    /// Returns a number below `bound`.
    fileprivate mutating func next(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
