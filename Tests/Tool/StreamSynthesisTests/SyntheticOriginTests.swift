import Foundation
import HTTPServing
import Testing

@testable import StreamSynthesis

/// The answers of a live origin at each time, without faults.
///
/// Segments last 6.4 s. Segment 1000 of channel 1 begins 38.4 s before the start, segment 1006 at the start.
@Suite struct SyntheticOriginTests {
    /// Returns changed settings with audio only, which is encoded quickly.
    static func settings(_ change: (inout LiveSettings) -> Void = { _ in }) -> LiveSettings {
        var settings = LiveSettings()
        settings.renditions = [.init(name: "main", video: nil)]
        change(&settings)
        return settings
    }

    /// An origin with one channel of these settings, encoded once for all tests.
    private static let oneChannel = Result { try SyntheticOrigin(settings()) }

    /// Returns an origin with one channel and a script.
    static func station(_ script: String = "") throws -> SyntheticOrigin {
        var station = try oneChannel.get()
        station.script = try LiveScript(parsing: script, channelCount: 1)
        return station
    }

    /// Returns an origin with changed settings and a script.
    static func station(
        _ script: String = "", _ change: (inout LiveSettings) -> Void
    ) throws -> SyntheticOrigin {
        let settings = settings(change)
        return try SyntheticOrigin(
            settings, script: try LiveScript(parsing: script, channelCount: settings.channelCount))
    }

    static func status(_ station: SyntheticOrigin, _ path: String, at seconds: Double) -> Int {
        station.answer(.init(path), at: .seconds(seconds)).content.status
    }

    static func field(_ name: String, _ answer: SyntheticOrigin.Answer) -> String? {
        answer.content.fields.first { $0.name == name }?.value
    }

    // MARK: Without a fault

    @Test(arguments: [(0, 1_000), (6.399, 1_000), (6.4, 1_001), (3_600, 1_562), (864_000, 136_000)])
    func playlist_atAnyTime_listsTheLastSixSegments(seconds: Double, first: Int) throws {
        let playlist = try LivePlaylist(try Self.station(), at: seconds)
        #expect(playlist.sequence == first)
        #expect(playlist.names == (first..<first + 6).map { "seg\($0).ts" })
        #expect(playlist.value("EXT-X-TARGETDURATION") == "6")
        #expect(playlist.lines.count { $0 == "#EXTINF:6.400," } == 6)
        #expect(
            playlist.value("EXT-X-ENDLIST") == nil && playlist.value("EXT-X-DISCONTINUITY-SEQUENCE") == nil)
    }

    @Test func programDateTime_followsTheWallClock() throws {
        var station = try Self.station()
        station.startTime = 1_800_000_000_000
        let dates = try LivePlaylist(station, at: 6.4).tags("EXT-X-PROGRAM-DATE-TIME")
        #expect(dates["seg1006.ts"] == ["#EXT-X-PROGRAM-DATE-TIME:2027-01-15T08:00:00.000Z"])
        #expect(dates["seg1005.ts"] == ["#EXT-X-PROGRAM-DATE-TIME:2027-01-15T07:59:53.600Z"])
    }

    /// A clock that was never set shows 1970.
    @Test func origin_withAnUnsetClock_hasTags() throws {
        var station = try Self.station()
        station.startTime = 0
        let segments = (1_000...1_002).map {
            station.answer(.init("/ch1/seg\($0).ts"), at: .zero).content.body
        }
        #expect(segments.flatMap(LivePlaylist.tags).count == 2)
    }

    /// A restarted server has different segments with the same names.
    @Test func entityTag_afterARestart_differs() throws {
        var (first, second) = (try Self.station(), try Self.station())
        (first.startTime, second.startTime) = (1_800_000_000_000, 1_800_000_001_000)
        let tags = [first, second].map { Self.field("ETag", $0.answer(.init("/ch1/seg1003.ts"), at: .zero)) }
        #expect(tags[0] != nil && tags[0] != tags[1])
    }

    @Test func channels_haveTheirOwnSegmentsTagsAndTimes() throws {
        let station = try Self.station { $0.channelCount = 4 }
        #expect(station.paths == (1...4).map { "/ch\($0)/index.m3u8" })
        // The channels are a quarter of a segment apart.
        let changes = try [(1, 6.4), (2, 4.8), (3, 3.2), (4, 1.6)].map { channel, seconds in
            let path = "/ch\(channel)/index.m3u8"
            return [
                try LivePlaylist(station, path, at: seconds - 0.001).sequence,
                try LivePlaylist(station, path, at: seconds).sequence,
            ]
        }
        #expect(changes == [[Int?]](repeating: [1_000, 1_001], count: 4))
        let segments = (1...4).map { station.answer(.init("/ch\($0)/seg1002.ts"), at: .zero).content.body }
        #expect(Set(segments).count == 4)
    }

    @Test func segment_isAvailableFromItsEnd_untilSixSegmentsAfterRemoval() throws {
        let station = try Self.station()
        // Segment 1006 ends at 6.4 s. It is listed until 44.8 s, and then kept for six more segments.
        for (seconds, status) in [(6.399, 404), (6.4, 200), (44.8, 200), (83.199, 200), (89.6, 404)] {
            #expect(Self.status(station, "/ch1/seg1006.ts", at: seconds) == status, "\(seconds)")
        }
        let early = station.answer(.init("/ch1/seg1006.ts"), at: .seconds(7))
        #expect(early == station.answer(.init("/ch1/seg1006.ts"), at: .seconds(60)))
        #expect(Self.field("Content-Type", early) == "video/mp2t")
    }

    @Test(arguments: [
        "/", "", "/index.m3u8", "/ch0/index.m3u8", "/ch2/index.m3u8", "/ch01/index.m3u8", "/ch1/seg999.ts",
        "/ch1/seg1002.m4s", "/ch1/seg01002.ts", "/ch1/init.mp4", "/ch1/other", "/ch1/main/index.m3u8",
        "/ch1/session1/index.m3u8", "/ch1/a/b/index.m3u8", "ch1/index.m3u8",
        "/ch99999999999999999999/index.m3u8",
        "/ch1/seg9223372036854775807.ts", "/ch1/seg-9223372036854775808.ts",
    ])
    func path_thatIsUnknown_isNotFound(path: String) throws {
        #expect(Self.status(try Self.station(), path, at: 0) == 404)
    }

    @Test(arguments: ["/ch1/index.m3u8", "/ch1/seg1003.ts"])
    func request_withACurrentValidator_isNotModified(path: String) throws {
        let station = try Self.station()
        let first = station.answer(.init(path), at: .zero)
        let tag = try #require(Self.field("ETag", first))
        let date = try #require(Self.field("Last-Modified", first))
        #expect(first.content.status == 200)
        for request in [
            SyntheticOrigin.Request(path, ifNoneMatch: tag), .init(path, ifNoneMatch: "\"x\", W/\(tag)"),
            .init(path, ifNoneMatch: "*"), .init(path, ifModifiedSince: date),
        ] {
            let again = station.answer(request, at: .seconds(6))
            #expect(again.content.status == 304 && again.content.body.isEmpty)
            #expect(Self.field("ETag", again) == tag)
        }
        // The entity tag has precedence over the date.
        #expect(
            station.answer(.init(path, ifNoneMatch: "\"x\"", ifModifiedSince: date), at: .seconds(6)).content
                .status
                == 200)
        if path.hasSuffix("m3u8") {
            for request in [
                SyntheticOrigin.Request(path, ifNoneMatch: tag), .init(path, ifModifiedSince: date),
            ] {
                #expect(station.answer(request, at: .seconds(6.4)).content.status == 200)
            }
        }
    }

    @Test func severalRenditions_areListedInAMultivariantPlaylist() throws {
        let station = try Self.station {
            $0.renditions = [
                .init(name: "low", video: .init(width: 160, height: 90, maximumBitrate: 50_000)),
                .init(name: "sound", video: nil, bitrate: 64_000, carriesTags: false),
            ]
            $0.segmentDuration = 1.92
        }
        let playlist = try LivePlaylist(station, at: 0)
        #expect(playlist.names == ["low/index.m3u8"])
        #expect(playlist.value("EXT-X-MEDIA")?.contains("URI=\"sound/index.m3u8\"") == true)
        for (name, tagCount) in [("low", 2), ("sound", 0)] {
            let names = try LivePlaylist(station, "/ch1/\(name)/index.m3u8", at: 0).names
            let segments = names.map { station.answer(.init("/ch1/\(name)/\($0)"), at: .zero).content.body }
            // An INFO tag at the beginning of the channel, and the DATA tag at ten seconds.
            #expect(segments.flatMap(LivePlaylist.tags).count == tagCount, "\(name)")
            if name == "sound" {
                // 64 kbit/s, to within a packet.
                #expect(segments.allSatisfy { (15_172...15_360).contains($0.count) })
            }
        }
        #expect(Self.status(station, "/ch1/none/index.m3u8", at: 0) == 404)
        #expect(Self.status(station, "/ch1/seg1000.ts", at: 0) == 404)
    }

    @Test func liveSettings_thatAreInvalid_areRefused() {
        let changes: [(String, (inout LiveSettings) -> Void)] = [
            ("channels", { $0.channelCount = 0 }), ("segmentDuration", { $0.segmentDuration = 6 }),
            ("segmentDuration", { $0.segmentDuration = 64 }),
            ("segmentDuration", { $0.segmentDuration = .nan }),
            ("windowSegmentCount", { $0.windowSegmentCount = 2 }), ("startPTS", { $0.startPTS = 1 << 33 }),
            ("startPTS", { $0.startPTS = 16 }), ("container", { $0.container = .packedAudio }),
            ("firstMediaSequence", { $0.firstMediaSequence = -1 }), ("renditions", { $0.renditions = [] }),
            ("bitrate", { $0.renditions[0].bitrate = 1 }), ("renditions", { $0.renditions[0].name = "a/b" }),
        ]
        for (name, change) in changes {
            let error = #expect(throws: SynthesisError.self) { try SyntheticOrigin(Self.settings(change)) }
            guard case .setting(name, _) = error else {
                Issue.record("\(name): \(String(describing: error))")
                continue
            }
        }
    }

    // MARK: What was published

    /// A line of the list of published segments.
    private struct Publication: Decodable {
        let segment: String
        let mediaSequence, begin, end: Int
        let owners: [String]
    }

    private static func publications(_ station: SyntheticOrigin, at seconds: Double) throws -> [Publication] {
        let answer = station.answer(.init("/ch1/published.jsonl"), at: .seconds(seconds)).content
        try #require(answer.status == 200)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try answer.body.split(separator: 0x0A).map {
            try decoder.decode(Publication.self, from: Data($0))
        }
    }

    @Test func publications_listTheSegmentsWithTheirTags() throws {
        let station = try Self.station(
            """
            at 20s for 25s channel 1: no-tags
            at 60s for 20s channel 1: ad-break cue
            at 100s channel 1: sequence-reset
            at 0 channel 1: status 503
            at 0 channel 1: stalled-playlist
            """)
        var open = station
        open.script = LiveScript(
            station.script.events.filter { event in
                if case .status = event.fault { false } else { event.fault != .stalledPlaylist }
            })
        let lines = try Self.publications(station, at: 160)
        // Six before the start, and 25 after it.
        #expect(lines.map(\.segment) == (1_000..<1_031).map { "seg\($0)" })
        #expect(lines.map(\.begin) == (0..<31).map { $0 * 6_400 - 38_400 })
        #expect(lines.allSatisfy { $0.end == $0.begin + 6_400 })
        #expect(lines.map(\.mediaSequence) == Array(1_000..<1_022) + Array(0..<9))
        for line in lines {
            let answer = open.answer(
                .init("/ch1/\(line.segment).ts"), at: .milliseconds(max(0, line.end))
            ).content
            try #require(answer.status == 200, "\(line.segment)")
            let tags = LivePlaylist.tags(in: answer.body).map { tag in
                String(decoding: tag[20..<269], as: UTF8.self)
            }
            #expect(line.owners == tags, "\(line.segment)")
        }
        // Twenty, without the three that were removed and two in the break.
        let ownerCount = lines.reduce(0) { $0 + $1.owners.count }
        #expect(ownerCount == 15)
    }

    @Test func publications_afterTenDays_areThoseOfTheLastDay() throws {
        let lines = try Self.publications(try Self.station(), at: 864_000)
        #expect(lines.count == 13_501 && lines.last?.end == 864_000_000)
    }
}
