import ID3v2
import NielsenID3
import TestSupport
import Testing

@testable import HLSInput

/// The totals of `dtvr run` and `dtvr scan`.
@Suite(.timeLimit(.minutes(30))) struct ReadingTotalsTests {
    private static func totals(_ readings: [SegmentReading]) -> ReadingTotals {
        var totals = ReadingTotals()
        for reading in readings { totals.add(reading) }
        return totals
    }

    private static func readings() async throws -> [SegmentReading] {
        let stream = try SyntheticStream.transport.get()
        let folder = try TemporaryFolder()
        for name in stream.segmentNames { _ = try folder.write(name, stream.files[name] ?? []) }
        return try await InputReading(folder.path).readings
    }

    @Test func totals_areThoseOfTheStream() async throws {
        let readings = try await Self.readings()
        let stream = try SyntheticStream.transport.get()
        let totals = Self.totals(readings)
        let tags = readings.flatMap(\.tags).map(\.tag)
        #expect(totals.segmentCount == 5 && totals.failedSegmentCount == 0)
        #expect(totals.byteCount == UInt64(stream.segmentNames.indices.reduce(0) { $0 + stream[$1].count }))
        #expect(totals.dataCount == tags.count { $0.kind == .data } && totals.dataCount > 1)
        #expect(totals.infoCount == tags.count { $0.kind == .info })
        #expect(totals.tagCount == stream.tags.count && totals.unknownCount == 0)
        #expect(totals.truncatedCount == 0 && totals.otherCount == 0)
        #expect(totals.problemCount == readings.flatMap(\.tags).count { !$0.problems.isEmpty })
        let times = tags.compactMap { tag in
            tag.firstTime.flatMap { first in tag.lastTime.map { (first, $0) } }
        }
        #expect(totals.tagTimes?.lowerBound == times.map(\.0).min())
        #expect(totals.tagTimes?.upperBound == times.map(\.1).max())
        // The order of the segments does not matter.
        #expect(Self.totals(readings.reversed()) == totals)
    }

    @Test func parts_gaps_andFailures_areNotSegments() async throws {
        let readings = try await Self.readings()
        var part = readings[1]
        part.observation.segment?.isContinuation = true
        var gap = readings[2]
        gap.outcome = .gap
        var playlist = readings[3]
        playlist.outcome = .playlist
        var failed = readings[4]
        failed.outcome = .failed(.empty("x"))
        let totals = Self.totals([readings[0], part, gap, playlist, failed])
        #expect(totals.segmentCount == 1 && totals.failedSegmentCount == 1)
        let stream = try SyntheticStream.transport.get()
        #expect(totals.byteCount == UInt64(stream[0].count + stream[1].count))
        // The tags of all of them count, also those before an error.
        #expect(totals.tagCount == stream.tags.count)
    }

    @Test func truncatedTags_andProblems_areCountedApart() async throws {
        var reading = try #require(try await Self.readings().first { !$0.tags.isEmpty })
        var tag = reading.tags[0]
        tag.isTruncated = true
        tag.problems = [.tagFormat]
        var unknown = tag
        unknown.isTruncated = false
        let owner = Array("www.nielsen.com/x".utf8)
        let parsed = NielsenTag(ownerIdentifier: owner.span)
        unknown.tag = try #require(parsed)
        reading.tags = [tag, unknown]
        reading.observation = SegmentObservation(
            rendition: reading.observation.rendition, segment: reading.observation.segment, tags: [],
            otherTagCount: 3)
        let totals = Self.totals([reading])
        #expect(totals.truncatedCount == 1 && totals.unknownCount == 1 && totals.tagCount == 1)
        #expect(totals.problemCount == 2 && totals.otherCount == 3 && totals.tagTimes == nil)
    }
}
