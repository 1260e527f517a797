import HLSPlaylist
import ID3v2
import NielsenID3
import StreamHealth
import Testing

@testable import HLSInput
@testable import StreamMonitor

/// Every number of a playlist at its extremes, in everything that a channel computes from it.
@Suite(.timeLimit(.minutes(30))) struct ExtremeNumberTests {
    /// The lines that contain a number; `%` is its placeholder.
    static let lines = [
        "#EXT-X-VERSION:%", "#EXT-X-TARGETDURATION:%", "#EXT-X-MEDIA-SEQUENCE:%",
        "#EXT-X-DISCONTINUITY-SEQUENCE:%", "#EXTINF:%,", "#EXT-X-BYTERANGE:%", "#EXT-X-BYTERANGE:1@%",
        "#EXT-X-BYTERANGE:%@%", "#EXT-X-PART-INF:PART-TARGET=%", "#EXT-X-PART:URI=\"p\",DURATION=%",
        "#EXT-X-PART:URI=\"p\",DURATION=1,BYTERANGE=\"%@%\"",
        "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"p\",BYTERANGE-START=%,BYTERANGE-LENGTH=%",
        "#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=%,HOLD-BACK=%,PART-HOLD-BACK=%",
        "#EXT-X-SKIP:SKIPPED-SEGMENTS=%", "#EXT-X-MAP:URI=\"m\",BYTERANGE=\"%@%\"", "#EXT-X-CUE-OUT:%",
        "#EXT-X-CUE-OUT-CONT:%/%", "#EXT-X-CUE-OUT-CONT:1/%",
        "#EXT-X-DATERANGE:ID=\"a\",SCTE35-OUT=0x00,START-DATE=\"2026-01-01T00:00:00Z\",DURATION=%",
        "#EXT-X-DATERANGE:ID=\"a\",SCTE35-OUT=0x00,START-DATE=\"9999-12-31T23:59:59Z\",PLANNED-DURATION=%",
        "#EXT-X-PROGRAM-DATE-TIME:%-12-31T23:59:60.%Z", "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.%Z",
    ]

    static let numbers = [
        "0", "1", "-1", "0.5", "4294967296", "9007199254740991", "9007199254740992", "2305843009213693950",
        "9223372036854775807", "9223372036854775808", "18446744073709551615", "99999999999999999999999",
        "1000000", "1000001", "99999999999999.9", "1e308", "nan", "inf", "-0", "0000", "9999", "",
    ]

    /// Returns a playlist in which one line has this number.
    private static func playlist(_ line: String, _ number: String, first: Int) throws -> MediaPlaylist {
        let line = line.replacing("%", with: number)
        var lines = ["#EXTM3U", line]
        if !line.hasPrefix("#EXT-X-TARGETDURATION") { lines.append("#EXT-X-TARGETDURATION:6") }
        if !line.hasPrefix("#EXT-X-MEDIA-SEQUENCE") { lines.append("#EXT-X-MEDIA-SEQUENCE:\(first)") }
        lines += ["#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z", line]
        for segment in first..<first + 3 {
            if !line.hasPrefix("#EXTINF") { lines.append("#EXTINF:6,") }
            lines += [line, "s\(segment).ts"]
        }
        // Without EXTINF a segment has the target duration.
        lines += [line, "last.ts"]
        guard
            case .media(let playlist) = try Playlist(parsing: Array(lines.joined(separator: "\n").utf8).span)
        else {
            Issue.record("\(line): another kind of playlist")
            return MediaPlaylist()
        }
        return playlist
    }

    @Test func extremeNumber_doesNotTrap() throws {
        for line in Self.lines {
            for number in Self.numbers {
                let channel = Channel()
                for (load, value) in ["3", number, "4", number, number, "5"].enumerated() {
                    try channel.load(Self.playlist(line, value, first: 100 + load), at: 6 * load)
                }
            }
        }
    }

    /// The number of segments that seem to be skipped must fit its counter, however often a sequence starts over.
    @Test(arguments: [9_007_199_254_740_000, 2_305_843_009_213_693_950])
    func alternatingMediaSequence_doesNotOverflowTheCounter(high: Int) throws {
        let channel = Channel()
        for load in 0..<100 {
            let playlist = try Self.playlist("#", "", first: load.isMultiple(of: 2) ? 0 : high)
            channel.load(playlist, at: 6 * load)
        }
        #expect(channel.metrics.skippedSegmentCount <= 100 * UInt64(PlaylistLimit.segments.maximum))
    }

    /// The state that a channel derives from the loads of one playlist.
    private final class Channel {
        var follower = PlaylistFollower()
        var metrics = ChannelMetrics(ChannelSettings(id: "ch1", url: ""))
        var health = ChannelHealth(
            policy: HealthPolicy(), at: ClockMoment(steady: SteadyTime(seconds: 0)))

        func load(_ playlist: MediaPlaylist, at seconds: Int) {
            let update = follower.observe(.playlist(playlist), at: .seconds(seconds))
            #expect(update.reloadDelay > .zero && update.reloadDelay <= .seconds(3_600))
            let load = LivePlaylistLoad(update: update, duration: .zero)
            metrics.observe(load, of: .first)
            let time = SteadyTime(seconds: Double(seconds))
            health.observe(update.events, at: time)
            for segment in update.newSegments {
                let end = segment.programDateTimeMilliseconds.map {
                    WallTime(unixMilliseconds: $0) + segment.duration
                }
                let edge = PlaylistEdge(targetDuration: segment.duration, endDate: end)
                health.observe(.changed(edge), at: time)
                let fetch = SegmentFetch(
                    name: segment.uri, mediaSequence: UInt64(exactly: segment.mediaSequence),
                    duration: segment.duration, seconds: 1)
                health.observe(fetch, at: time)
                let observation = SegmentObservation(rendition: RenditionID(0), segment: nil, tags: [])
                health.observe(observation, behindLive: segment.duration, at: time)
            }
            _ = health.drain()
            _ = health.outcomes
        }
    }
}
