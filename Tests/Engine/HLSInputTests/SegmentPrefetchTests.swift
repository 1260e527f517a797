import Foundation
import HTTPTransfer
import HostSystem
import NielsenID3
import TestSupport
import Testing

@testable import HLSInput

/// The results of an input, and their order, do not depend on the number of segments that are read at once.
@Suite(.timeLimit(.minutes(30))) struct SegmentPrefetchTests {
    /// The comparable parts of one segment's outcome and tags.
    private struct Line: Equatable {
        let name: String
        let outcome: String
        let tags: [TagOccurrence]
        let otherTags: [OtherTagOccurrence]
        let otherTagCount: Int

        init(_ reading: SegmentReading) {
            name = reading.name
            outcome = "\(reading.outcome)"
            tags = reading.tags
            otherTags = reading.otherTags
            otherTagCount = reading.observation.otherTagCount
        }
    }

    /// Reads an input with one job, and compares the result with those of several jobs.
    @discardableResult
    private func compare(
        _ source: String, choice: RenditionChoice = .lowest
    ) async throws -> InputReading {
        let reference = try await InputReading(source, choice: choice, keepsOtherTags: true)
        for jobs in [2, 3, 8] {
            let reading = try await InputReading(source, choice: choice, keepsOtherTags: true, jobs: jobs)
            #expect(reading.readings.map(Line.init) == reference.readings.map(Line.init), "\(jobs) jobs")
        }
        return reference
    }

    /// Returns the packets of a synthetic stream, with all of its segments joined.
    private func packets() throws -> [[UInt8]] {
        let stream = try SyntheticStream.transport.get()
        let bytes = stream.segmentNames.indices.flatMap { stream[$0] }
        return stride(from: 0, to: bytes.count, by: 188).map { Array(bytes[$0..<$0 + 188]) }
    }

    /// Returns whether a PES packet of private_stream_1 begins in a packet, so that a split after it divides a tag.
    private func isTagStart(_ packet: [UInt8]) -> Bool {
        packet[1] & 0x40 != 0
            && packet.indices.dropLast(3).contains { packet[$0...$0 + 3] == [0, 0, 1, 0xBD] }
    }

    /// Writes pieces of the stream that end after the first packet of each tag, and returns their number.
    private func writeCut(_ folder: TemporaryFolder, beginningWith tables: [UInt8] = []) throws -> Int {
        var piece = tables
        var count = 0
        for packet in try packets() {
            piece += packet
            if isTagStart(packet) {
                try folder.write("piece\(count).ts", piece)
                count += 1
                piece = tables
            }
        }
        try folder.write("piece\(count).ts", piece)
        return count + 1
    }

    @Test(arguments: [RenditionChoice.lowest, .highest, .all]) func prefetchedDemo_readsAsInSequence(
        choice: RenditionChoice
    )
        async throws
    {
        let reading = try await compare(Project.demo + "/index.m3u8", choice: choice)
        #expect(!reading.tags.isEmpty)
    }

    @Test func tagsAcrossSegments_prefetched_readAsInSequence() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        // SDT, PAT and PMT are at the start of the stream.
        let tables = try packets().prefix(3)
        #expect(tables.map { UInt16($0[1] & 0x1F) << 8 | UInt16($0[2]) } == [0x11, 0, 0x1000])
        let count = try writeCut(folder, beginningWith: tables.flatMap { $0 })
        let reading = try await compare(folder.path)
        #expect(reading.readings.count == count)
        #expect(reading.owners == stream.owners)
        let preparedCount = try await Prefetching.count(in: folder, of: count)
        #expect(preparedCount == count)
    }

    @Test func segmentsWithoutTables_prefetched_readAsInSequence() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        let count = try writeCut(folder)
        let reading = try await compare(folder.path)
        #expect(reading.readings.count == count)
        #expect(reading.owners == stream.owners)
        #expect(try await Prefetching.count(in: folder, of: count) < count)
    }

    @Test func mixedAndDamagedSegments_prefetched_readAsInSequence() async throws {
        let transport = try SyntheticStream.transport.get()
        let fragmented = try SyntheticStream.fragmented.get()
        let folder = try TemporaryFolder()
        for index in transport.segmentNames.indices {
            try folder.write("\(index)a.ts", transport[index])
            try folder.write("\(index)b.m4s", fragmented[index])
            try folder.write("\(index)c.ts", Array(transport[index].dropLast(1_000)))
            try folder.write("\(index)d.ts", Array(transport[index].dropFirst(100)))
        }
        try folder.write("0e.ts", [])
        try folder.write("1e.ts", "<html>not found</html>")
        try folder.write("2e.m3u8", transport.playlist())
        try folder.write("3e.ts", [UInt8](repeating: 0xFF, count: 300_000))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/4e.ts", withDestinationPath: folder.path + "/nowhere")
        let reading = try await compare(folder.path)
        #expect(reading.failures.count == 4)
        #expect(reading.readings.count == 25)
    }

    @Test func missingSegmentsAndByteRanges_prefetched_readAsInSequence() async throws {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        try folder.write("all.ts", stream.segmentNames.indices.flatMap { stream[$0] })
        try folder.write("2.ts", stream[2])
        var offset = 0
        var ranges: [String] = []
        for index in stream.segmentNames.indices {
            ranges.append("#EXT-X-BYTERANGE:\(stream[index].count)@\(offset)")
            offset += stream[index].count
        }
        ranges[4] = "#EXT-X-BYTERANGE:\(stream[4].count + 1)@\(offset - stream[4].count)"
        let playlist = stream.playlist(
            segments: [0, 1, 2, 3, 4, 0, 1, 2],
            before: { $0 == 2 ? [] : $0 == 0 ? ["#EXT-X-DISCONTINUITY", ranges[0]] : [ranges[$0]] },
            uri: { $0 == 2 ? "2.ts" : $0 == 3 ? "missing.ts" : "all.ts" })
        let reading = try await compare(try folder.write("index.m3u8", playlist))
        #expect(reading.failures.map(\.index) == [3, 4])
        #expect(
            reading.owners == stream.owners(inSegments: [0, 1, 2, 4]) + stream.owners(inSegments: [0, 1, 2]))
    }

    /// A stream delivers its bytes only once, and a network resource is read in order: neither is prefetched.
    @Test func pipesAndNetworkResources_areNotPrefetched() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/pipe.ts"
        // The path is a local string that lives through the call.
        #expect(unsafe mkfifo(path, 0o600) == 0)
        var stream = Presentation.Segment(address: .path(path), name: nil)
        stream.stream = OpenedStream(front: [], file: try InputFile(named: path))
        let network = Presentation.Segment(address: .network("http://127.0.0.1:9/a.ts"), name: nil)
        let prefetch = try SegmentPrefetch(
            .init([stream, network]), reader: Prefetching.reader(jobs: 2), maximumCount: 4)
        #expect(await prefetch.removeSegment(at: 0) == nil)
        #expect(await prefetch.removeSegment(at: 1) == nil)
    }

    @Test func prefetch_abandonedEarly_endsItsThreads() async throws {
        let folder = try TemporaryFolder()
        let stream = try SyntheticStream.transport.get()
        for index in 0..<50 { try folder.write("\(index).ts", stream[0]) }
        weak var threads: ThreadExecutor?
        do {
            let reader = try Prefetching.reader(jobs: 3)
            threads = reader.fetcher.threads
            let segments = (0..<50).map {
                Presentation.Segment(address: .path("\(folder.path)/\($0).ts"), name: "\($0).ts")
            }
            let prefetch = SegmentPrefetch(.init(segments), reader: reader, maximumCount: 6)
            #expect(await prefetch.removeSegment(at: 0) != nil)
            #expect(await prefetch.removeSegment(at: 7) != nil)
            #expect(await prefetch.removeSegment(at: 49) != nil)
        }
        while threads != nil {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}

private enum Prefetching {
    static func reader(jobs: Int) throws -> ResourceReader {
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        let fetcher = try ResourceFetcher(client: client, jobs: jobs)
        return ResourceReader(
            fetcher: fetcher, keys: KeyRing(fetcher: fetcher), buffers: ReadBuffers(), policy: .any)
    }

    /// Returns the number of pieces in a folder that can be filtered independently.
    static func count(in folder: TemporaryFolder, of pieceCount: Int) async throws -> Int {
        let segments = (0..<pieceCount).map {
            Presentation.Segment(address: .path("\(folder.path)/piece\($0).ts"), name: nil)
        }
        let prefetch = SegmentPrefetch(.init(segments), reader: try reader(jobs: 1), maximumCount: 1)
        var count = 0
        for index in segments.indices where await prefetch.removeSegment(at: index) != nil { count += 1 }
        return count
    }
}
