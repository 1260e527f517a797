import ID3v2
import NielsenID3
import StreamSynthesis
import TagRecord
import TestSupport
import Testing

@testable import HLSInput

/// The time and the segment of a tag, across the segments of a playlist.
@Suite(.timeLimit(.minutes(30))) struct TimeLineTests {
    private static func read(_ stream: SyntheticStream, _ playlist: String? = nil) async throws
        -> InputReading
    {
        let folder = try TemporaryFolder()
        for (name, bytes) in stream.files { try folder.write(name, bytes) }
        if let playlist { try folder.write("index.m3u8", playlist) }
        return try await InputReading(folder.path + "/index.m3u8")
    }

    @Test func seconds_areAbsolute_andContinueAcrossSegments() async throws {
        let stream = try SyntheticStream.transport.get()
        let reading = try await Self.read(stream)
        #expect(reading.tags.map { $0.time?.ticks } == stream.tags.map(\.pts))
        #expect(reading.tags.map(\.seconds) == stream.tags.map { Double($0.pts) / 90_000 })
    }

    @Test func seconds_acrossTheWrap_increase_whileTheTimeIsAsSent() async throws {
        let stream = try SyntheticStream.wrapping.get()
        let reading = try await Self.read(stream)
        #expect(reading.tags.map { $0.time?.ticks } == stream.tags.map(\.pts))
        let wrapped = stream.tags.filter { $0.pts < 1 << 32 }.count
        #expect(wrapped > 0 && wrapped < stream.tags.count)
        let expected = stream.tags.map { Double($0.pts + ($0.pts < 1 << 32 ? 1 << 33 : 0)) / 90_000 }
        #expect(reading.tags.map(\.seconds) == expected)
    }

    @Test func discontinuity_startsANewTimeline() async throws {
        let stream = try SyntheticStream.wrapping.get()
        // The last two segments are after the wrap; on their own timeline they begin near zero.
        let playlist = stream.playlist(before: { $0 == 3 ? ["#EXT-X-DISCONTINUITY"] : [] })
        let reading = try await Self.read(stream, playlist)
        let after = reading.tags.filter { ($0.origin.place.mediaSequence ?? 0) >= 3 }
        #expect(!after.isEmpty)
        #expect(after.allSatisfy { $0.seconds == $0.time?.seconds })
        let before = reading.tags.filter { ($0.origin.place.mediaSequence ?? 0) < 3 }
        #expect(before.contains { ($0.seconds ?? 0) > 90_000 })
    }

    @Test(arguments: [false, true])
    func programDateTime_isThatOfTheTag_notOfItsSegment(isFragmented: Bool) async throws {
        let stream = try (isFragmented ? SyntheticStream.fragmented : SyntheticStream.transport).get()
        let reading = try await Self.read(stream)
        let start = 1_795_176_000_000.0
        #expect(!stream.tags.isEmpty && reading.tags.count == stream.tags.count)
        for (record, made) in zip(reading.tags, stream.tags) {
            let expected = start + Double(made.pts - SyntheticStream.startPTS) / 90
            let found = Double(try #require(record.origin.place.programDateTime))
            // The first audio of a segment may differ from the segment's stated time by up to a frame.
            #expect(abs(found - expected) <= 45, "\(record.time as Any)")
        }
    }

    /// Playlist durations that are half a second too short add up to two seconds over the stream.
    @Test func programDateTime_followsTimestamps_notPlaylistDurations() async throws {
        let stream = try SyntheticStream.transport.get()
        let playlist = stream.playlist(
            before: { $0 == 0 ? ["#EXT-X-PROGRAM-DATE-TIME:2026-11-20T12:00:00Z"] : [] }
        ).replacing("#EXTINF:4,", with: "#EXTINF:3.5,")
        let reading = try await Self.read(stream, playlist)
        #expect(reading.tags.count == stream.tags.count)
        for (tag, made) in zip(reading.tags, stream.tags) {
            let expected = 1_795_176_000_000 + Double(made.pts - SyntheticStream.startPTS) / 90
            #expect(abs(Double(try #require(tag.origin.place.programDateTime)) - expected) <= 45)
        }
    }

    @Test func programDateTime_withoutOneInThePlaylist_isNil() async throws {
        let stream = try SyntheticStream.transport.get()
        let reading = try await Self.read(stream, stream.playlist())
        #expect(reading.tags.count == stream.tags.count)
        #expect(reading.tags.allSatisfy { $0.origin.place.programDateTime == nil })
    }

    /// Two segments are split again between the two transport packets of a tag.
    @Test func tag_spanningTwoSegments_belongsToTheFirst() async throws {
        let stream = try SyntheticStream.transport.get()
        let whole = stream[0] + stream[1]
        let made = try #require(stream.tags.last { stream.segment(of: $0) == 0 })
        let owner = Array(made.ownerIdentifier.utf8.prefix(60))
        let place = try #require(whole.indices.first { whole[$0...].starts(with: owner) })
        let cut = (place / 188 + 1) * 188
        let folder = try TemporaryFolder()
        try folder.write("a.ts", Array(whole[..<cut]))
        try folder.write("b.ts", Array(whole[cut...]))
        let playlist = stream.playlist(
            segments: [0, 1], header: ["#EXT-X-MEDIA-SEQUENCE:41"],
            before: { ["#EXT-X-PROGRAM-DATE-TIME:2026-11-20T12:00:0\($0 == 0 ? 0 : 4)Z"] },
            uri: { $0 == 0 ? "a.ts" : "b.ts" })
        let reading = try await InputReading(folder.write("index.m3u8", playlist))
        #expect(Set(reading.owners) == Set(stream.owners(inSegments: [0, 1])))
        let record = try #require(
            reading.tags.first { $0.tag.ownerIdentifier == Array(made.ownerIdentifier.utf8) })
        #expect(!record.isTruncated)
        #expect(record.origin.place.segment == "a.ts")
        #expect(record.origin.place.mediaSequence == 41)
        // The tag was returned with the second segment.
        #expect(!reading.readings[0].tags.contains(record) && reading.readings[1].tags.contains(record))
    }

    /// The same split with a missing segment in between: later bytes are not joined to earlier ones, even if they would
    /// fit.
    @Test(arguments: [false, true])
    func tag_followedByAMissingSegment_isTruncatedAndInTheFirst(isGap: Bool) async throws {
        let stream = try SyntheticStream.transport.get()
        let made = try #require(stream.tags.last { stream.segment(of: $0) == 0 })
        let owner = Array(made.ownerIdentifier.utf8.prefix(60))
        let place = try #require(stream[0].indices.first { stream[0][$0...].starts(with: owner) })
        let cut = (place / 188 + 1) * 188
        let folder = try TemporaryFolder()
        try folder.write("a.ts", Array(stream[0][..<cut]))
        try folder.write("c.ts", Array(stream[0][cut...]) + stream[1])
        let playlist = stream.playlist(
            segments: [0, 1, 2], before: { $0 == 1 && isGap ? ["#EXT-X-GAP"] : [] },
            uri: { ["a.ts", "b.ts", "c.ts"][$0] })
        let reading = try await InputReading(folder.write("index.m3u8", playlist))
        #expect(reading.failures.map(\.index) == (isGap ? [] : [1]))
        let partial = reading.tags.filter(\.isTruncated)
        #expect(partial.map(\.origin.place.segment) == ["a.ts"])
        let whole = reading.tags.filter { !$0.isTruncated && $0.origin.place.segment == "c.ts" }
        #expect(whole.count == stream.owners(inSegments: [1]).count)
    }
}
