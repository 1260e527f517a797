import Foundation
import ID3v2
import NielsenID3
import TagStore
import TestSupport
import Testing

@testable import PlayerSession

extension SegmentFeed {
    /// Reads a segment in an array, which macros can capture.
    fileprivate func read(_ bytes: [UInt8], _ segment: Segment) -> (tags: [Tag], repeatCount: Int)? {
        read(bytes.span, segment)
    }
}

/// The segments that a session reads for a player whose demuxer does not hand over tags.
@Suite(.timeLimit(.minutes(30))) struct SegmentFeedTests {
    /// A segment of media/demo, with its position in the playlist.
    private struct DemoSegment {
        let bytes: [UInt8]
        let position: Double
        let duration: Double
    }

    private static func demo(_ rendition: String) throws -> [DemoSegment] {
        let folder = Project.root + "/media/demo/\(rendition)/"
        var segments: [DemoSegment] = []
        var position = 0.0
        var duration = 0.0
        for line in try String(contentsOfFile: folder + "index.m3u8", encoding: .utf8).split(separator: "\n")
        {
            if let match = line.firstMatch(of: /^#EXTINF:([0-9.]+)/) { duration = Double(match.1) ?? 0 }
            guard line.hasSuffix(".ts") else { continue }
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: folder + line)))
            segments.append(DemoSegment(bytes: bytes, position: position, duration: duration))
            position += duration
        }
        return segments
    }

    private static func segment(at position: Double?, track: Int = 0) -> SegmentFeed.Segment {
        var segment = SegmentFeed.Segment(at: position)
        segment.track = track
        return segment
    }

    private static func uint32(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// An ID3v2.4 tag with a private frame.
    private static func tag(_ owner: String, data: [UInt8] = []) -> [UInt8] {
        let content = Array(owner.utf8) + [0] + data
        return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(content.count + 10)] + Array("PRIV".utf8)
            + [0, 0, 0, UInt8(content.count), 0, 0] + content
    }

    /// A segment of fragmented MP4 whose messages have these times, in milliseconds.
    private static func messages(_ tags: [(milliseconds: Int, tag: [UInt8])]) -> [UInt8] {
        func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
            uint32(content.count + 8) + Array(type.utf8) + content
        }
        let events = tags.enumerated().flatMap { number, event in
            box(
                "emsg",
                [1, 0, 0, 0] + uint32(1_000) + uint32(0) + uint32(event.milliseconds) + uint32(0)
                    + uint32(number) + Array("https://aomedia.org/emsg/ID3\0\0".utf8) + event.tag)
        }
        return box("styp", Array("msdh".utf8) + uint32(0)) + events
            + box("moof", box("mfhd", uint32(0) + uint32(1))) + box("mdat", [])
    }

    /// A segment of packed audio: the tag with its time, a tag, and frames of silence.
    private static func packedAudio(_ tag: [UInt8]) -> [UInt8] {
        let frame: [UInt8] = [0xFF, 0xF1, 0x50, 0x80, 0x02, 0x1F, 0xFC] + [UInt8](repeating: 0, count: 9)
        return Self.tag(
            "com.apple.streaming.transportStreamTimestamp", data: [0, 0, 0, 0, 0, 0x0D, 0xBB, 0xA0])
            + tag + (0..<20).flatMap { _ in frame }
    }

    @Test func tags_ofTheDemo_areHandedOverAtTheirPlace_once() throws {
        let feed = SegmentFeed()
        let segments = try Self.demo("v540")
        #expect(segments.count == 19)
        var tags: [SegmentFeed.Tag] = []
        for segment in segments {
            let (found, repeatCount) = try #require(
                feed.read(segment.bytes, Self.segment(at: 1_000 + segment.position)))
            #expect(repeatCount == 0)
            for tag in found {
                let place = try #require(tag.mediaTime) - 1_000 - segment.position
                #expect((-0.5...segment.duration + 0.5).contains(place))
            }
            tags += found
        }
        #expect(tags.count == 13)
        #expect(tags.map { $0.mediaTime ?? 0 } == tags.map { $0.mediaTime ?? 0 }.sorted())
        // Audio, and another quality, have the same tags at the same places.
        for (rendition, track) in [("audio", 1), ("v360", 0)] {
            var repeatCount = 0
            for segment in try Self.demo(rendition) {
                let described = Self.segment(at: 1_000 + segment.position, track: track)
                let result = try #require(feed.read(segment.bytes, described))
                #expect(result.tags.isEmpty)
                repeatCount += result.repeatCount
            }
            #expect(repeatCount == 13)
        }
        // After a jump they are a second viewing.
        var again = 0
        for (index, segment) in segments.enumerated() {
            var described = Self.segment(at: 1_000 + segment.position)
            described.followsJump = index == 0
            again += try #require(feed.read(segment.bytes, described)).tags.count
        }
        #expect(again == 13)
    }

    /// Live playback of a loop: equal tags at other positions are not repeated ones.
    @Test func loop_atOtherPositions_isHandedOverAgain() throws {
        let feed = SegmentFeed()
        for start in [0.0, 200, 400] {
            var count = 0
            for (index, segment) in try Self.demo("audio").enumerated() {
                var described = Self.segment(at: start + segment.position)
                described.isDiscontinuous = index == 0
                count += try #require(feed.read(segment.bytes, described)).tags.count
            }
            #expect(count == 13)
        }
    }

    @Test func session_holdsFedTags_untilThePlayheadReachesThem() async throws {
        let folder = try TemporaryFolder()
        let session = MeasurementSession(
            options: SessionOptions(directory: folder.path), clock: ManualClock())
        #expect(await session.flush())
        session.play(["channelName": "One"])
        session.playheadPosition(0)
        let segments = Self.messages([
            (5_000, Self.tag("www.nielsen.com/a")), (7_500, Self.tag("www.nielsen.com/b")),
        ])
        // Without the time of the media, the first tag is at the start of its segment.
        let fed = try #require(session.feedSegment(segments, at: 4))
        #expect(fed == FedSegment(tagCount: 2, repeatCount: 0))
        #expect(session.counts.held == 2)
        session.playheadPosition(3)
        #expect(session.counts.held == 2)
        session.playheadPosition(5)
        #expect(session.counts.held == 1 && session.counts.flushed == 0)
        // The next segment repeats the message (ISO/IEC 23009-1, 5.10.3.3).
        let next = try #require(
            session.feedSegment(Self.messages([(7_500, Self.tag("www.nielsen.com/b"))]), at: 6.5))
        #expect(next == FedSegment(tagCount: 0, repeatCount: 1))
        session.playheadPosition(7)
        #expect(session.counts.held == 0 && session.counts.flushed == 0 && session.counts.stored == 2)
        // Without a position, at once.
        let now = try #require(session.feedSegment(Self.packedAudio(Self.tag("www.nielsen.com/c"))))
        #expect(now.tagCount >= 1 && session.counts.held == 0 && session.counts.stored == 3)
        await session.finish()
    }

    @Test func bytesThatAreNoSegment_areRejected_andChangeNothing() async throws {
        let folder = try TemporaryFolder()
        let session = MeasurementSession(
            options: SessionOptions(directory: folder.path), clock: ManualClock())
        for bytes in [[], [0], Array("<html>".utf8), [UInt8](repeating: 0xA5, count: 10_000)] as [[UInt8]] {
            #expect(session.feedSegment(bytes, at: 0) == nil)
        }
        #expect(session.counts.handed == 0)
        await session.finish()
    }

    /// The time of a tag that is far from its segment would hold it for hours.
    @Test func implausibleTime_isTheStartOfTheSegment() throws {
        let feed = SegmentFeed()
        let bytes = Self.messages([
            (5_000, Self.tag("www.nielsen.com/a")), (50_000_000, Self.tag("www.nielsen.com/b")),
        ])
        let tags = try #require(feed.read(bytes, Self.segment(at: 100))).tags
        #expect(tags.map(\.mediaTime) == [100, 100])
    }

    @Test func damagedSegments_areRead_andTheNextOneIsWhole() throws {
        let segments = try Self.demo("audio")
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let feed = SegmentFeed()
            var bytes = segments[0].bytes
            for _ in 0..<Int.random(in: 1...200, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
            let found = feed.read(bytes, Self.segment(at: 0))
            for tag in found?.tags ?? [] {
                let time = try #require(tag.mediaTime)
                #expect(time.isFinite && abs(time) < 100_000)
            }
            var described = Self.segment(at: 1_000)
            described.isDiscontinuous = true
            let expected = try #require(SegmentFeed().read(segments[1].bytes, described)).tags
            let next = try #require(feed.read(segments[1].bytes, described)).tags
            #expect(next.suffix(expected.count).map(\.bytes) == expected.map(\.bytes))
        }
    }

    @Test func tracks_onSeveralThreads_shareTheirRepeats() async throws {
        let feed = SegmentFeed()
        let renditions = try ["v540", "v360", "audio"].map {
            try Self.demo($0).map { ($0.bytes, $0.position) }
        }
        let counts = await withTaskGroup(of: Int.self) { group in
            for (track, segments) in renditions.enumerated() {
                group.addTask {
                    segments.reduce(0) { count, segment in
                        let described = Self.segment(at: segment.1, track: track)
                        return count + (feed.read(segment.0, described)?.tags.count ?? 0)
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(counts == 13)
    }
}
