import Foundation
import HTTPServing
import Testing

@testable import StreamSynthesis

/// What a live station answers at each time, without a fault and with each one of a script.
///
/// Segments last 6.4 s. Segment 1000 of channel 1 begins 38.4 s before the start, segment 1006 at the start.
@Suite struct LiveStationTests {
    /// Sound alone, which is coded in no time.
    static func settings(_ change: (inout LiveSettings) -> Void = { _ in }) -> LiveSettings {
        var settings = LiveSettings()
        settings.renditions = [.init(name: "main", video: nil)]
        change(&settings)
        return settings
    }

    /// One channel with these settings, coded once for all tests.
    private static let oneChannel = Result { try LiveStation(settings()) }

    /// One channel with a script.
    static func station(_ script: String = "") throws -> LiveStation {
        var station = try oneChannel.get()
        station.script = try LiveScript(parsing: script, channelCount: 1)
        return station
    }

    private static func station(
        _ script: String = "", _ change: (inout LiveSettings) -> Void
    ) throws -> LiveStation {
        let settings = settings(change)
        return try LiveStation(
            settings, script: try LiveScript(parsing: script, channelCount: settings.channelCount))
    }

    private static func status(_ station: LiveStation, _ path: String, at seconds: Double) -> Int {
        station.answer(.init(path), at: .seconds(seconds)).content.status
    }

    private static func field(_ name: String, _ answer: LiveStation.Answer) -> String? {
        answer.content.fields.first { $0.name == name }?.value
    }

    // MARK: Without a fault

    @Test(arguments: [(0, 1_000), (6.399, 1_000), (6.4, 1_001), (3_600, 1_562), (864_000, 136_000)])
    func playlist_atATime_listsTheLastSixSegments(seconds: Double, first: Int) throws {
        let playlist = try LivePlaylist(try Self.station(), at: seconds)
        #expect(playlist.sequence == first)
        #expect(playlist.names == (first..<first + 6).map { "seg\($0).ts" })
        #expect(playlist.value("EXT-X-TARGETDURATION") == "6")
        #expect(playlist.lines.count { $0 == "#EXTINF:6.400," } == 6)
        #expect(
            playlist.value("EXT-X-ENDLIST") == nil && playlist.value("EXT-X-DISCONTINUITY-SEQUENCE") == nil)
    }

    @Test func dates_areThoseOfTheWallClock() throws {
        var station = try Self.station()
        station.startTime = 1_800_000_000_000
        let dates = try LivePlaylist(station, at: 6.4).tags("EXT-X-PROGRAM-DATE-TIME")
        #expect(dates["seg1006.ts"] == ["#EXT-X-PROGRAM-DATE-TIME:2027-01-15T08:00:00.000Z"])
        #expect(dates["seg1005.ts"] == ["#EXT-X-PROGRAM-DATE-TIME:2027-01-15T07:59:53.600Z"])
    }

    /// A clock that was never set shows 1970.
    @Test func station_beforeAllTime_hasTags() throws {
        var station = try Self.station()
        station.startTime = 0
        let segments = (1_000...1_002).map {
            station.answer(.init("/ch1/seg\($0).ts"), at: .zero).content.body
        }
        #expect(RawTransportStream(segments: segments).metadata.count == 2)
    }

    /// A server that starts anew has other segments of the same names.
    @Test func entityTag_ofAnotherStart_isAnother() throws {
        var (first, second) = (try Self.station(), try Self.station())
        (first.startTime, second.startTime) = (1_800_000_000_000, 1_800_000_001_000)
        let tags = [first, second].map { Self.field("ETag", $0.answer(.init("/ch1/seg1003.ts"), at: .zero)) }
        #expect(tags[0] != nil && tags[0] != tags[1])
    }

    @Test func channels_haveSegmentsTagsAndTimesOfTheirOwn() throws {
        let station = try Self.station { $0.channelCount = 4 }
        #expect(station.paths == (1...4).map { "/ch\($0)/index.m3u8" })
        // A quarter of a segment apart.
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

    @Test func segment_isThereFromItsEnd_untilItHasLongLeftThePlaylist() throws {
        let station = try Self.station()
        // Segment 1006 ends at 6.4 s; it is listed until 44.8 s, and kept for six segments more.
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
    func path_thatNobodyHas_isNotFound(path: String) throws {
        #expect(Self.status(try Self.station(), path, at: 0) == 404)
    }

    @Test(arguments: ["/ch1/index.m3u8", "/ch1/seg1003.ts"])
    func request_withWhatTheClientHas_isNotModified(path: String) throws {
        let station = try Self.station()
        let first = station.answer(.init(path), at: .zero)
        let tag = try #require(Self.field("ETag", first))
        let date = try #require(Self.field("Last-Modified", first))
        #expect(first.content.status == 200)
        for request in [
            LiveStation.Request(path, ifNoneMatch: tag), .init(path, ifNoneMatch: "\"x\", W/\(tag)"),
            .init(path, ifNoneMatch: "*"), .init(path, ifModifiedSince: date),
        ] {
            let again = station.answer(request, at: .seconds(6))
            #expect(again.content.status == 304 && again.content.body.isEmpty)
            #expect(Self.field("ETag", again) == tag)
        }
        // The entity tag goes before the date.
        #expect(
            station.answer(.init(path, ifNoneMatch: "\"x\"", ifModifiedSince: date), at: .seconds(6)).content
                .status
                == 200)
        if path.hasSuffix("m3u8") {
            for request in [LiveStation.Request(path, ifNoneMatch: tag), .init(path, ifModifiedSince: date)] {
                #expect(station.answer(request, at: .seconds(6.4)).content.status == 200)
            }
        }
    }

    @Test func renditions_ofSeveral_standInAMultivariantPlaylist() throws {
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
            // An INFO tag at the channel's beginning, and the DATA tag of ten seconds.
            #expect(RawTransportStream(segments: segments).metadata.count == tagCount, "\(name)")
            if name == "sound" {
                // 64 kbit/s, down to a packet.
                #expect(segments.allSatisfy { (15_172...15_360).contains($0.count) })
            }
        }
        #expect(Self.status(station, "/ch1/none/index.m3u8", at: 0) == 404)
        #expect(Self.status(station, "/ch1/seg1000.ts", at: 0) == 404)
    }

    @Test func settings_thatMakeNoChannel_areRefused() {
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
            let error = #expect(throws: SynthesisError.self) { try LiveStation(Self.settings(change)) }
            guard case .setting(name, _) = error else {
                Issue.record("\(name): \(String(describing: error))")
                continue
            }
        }
    }

    // MARK: What was published

    /// A line of what was published.
    private struct Publication: Decodable {
        let segment: String
        let mediaSequence, begin, end: Int
        let owners: [String]
    }

    private static func publications(_ station: LiveStation, at seconds: Double) throws -> [Publication] {
        let answer = station.answer(.init("/ch1/published.jsonl"), at: .seconds(seconds)).content
        try #require(answer.status == 200)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try answer.body.split(separator: 0x0A).map {
            try decoder.decode(Publication.self, from: Data($0))
        }
    }

    @Test func publications_areTheSegments_withTheTagsThatTheyHave() throws {
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
        // Six before the start, and 25 since.
        #expect(lines.map(\.segment) == (1_000..<1_031).map { "seg\($0)" })
        #expect(lines.map(\.begin) == (0..<31).map { $0 * 6_400 - 38_400 })
        #expect(lines.allSatisfy { $0.end == $0.begin + 6_400 })
        #expect(lines.map(\.mediaSequence) == Array(1_000..<1_022) + Array(0..<9))
        for line in lines {
            let answer = open.answer(
                .init("/ch1/\(line.segment).ts"), at: .milliseconds(max(0, line.end))
            ).content
            try #require(answer.status == 200, "\(line.segment)")
            let tags = RawTransportStream(segments: [answer.body]).metadata.map { tag in
                String(decoding: tag.payload.dropFirst(20).prefix(249), as: UTF8.self)
            }
            #expect(line.owners == tags, "\(line.segment)")
        }
        // Twenty, without three that were taken out and two of the break.
        #expect(lines.map(\.owners.count).reduce(0, +) == 15)
    }

    @Test func publications_ofTenDays_areThoseOfTheLast() throws {
        let lines = try Self.publications(try Self.station(), at: 864_000)
        #expect(lines.count == 13_501 && lines.last?.end == 864_000_000)
    }

    // MARK: Faults of playlists

    /// At what times a playlist is what a station without a fault sends, and as of when.
    private static func expect(
        _ script: String, _ table: [(seconds: Double, asOf: Double)],
        location: SourceLocation = #_sourceLocation
    ) throws {
        let (faulty, normal) = (try station(script), try station())
        for (seconds, asOf) in table {
            #expect(
                try LivePlaylist(faulty, at: seconds) == LivePlaylist(normal, at: asOf), "at \(seconds)",
                sourceLocation: location)
        }
    }

    @Test func latePlaylist_standsStill_thenIsLate_thenCatchesUp() throws {
        try Self.expect(
            "at 10s for 20s channel 1: late-playlist 8s",
            [(9.9, 9.9), (12.8, 10), (17.9, 10), (20.8, 12.8), (29.9, 21.9), (30, 30), (100, 100)])
    }

    @Test func stalledPlaylist_staysAsItWas_withItsSegments() throws {
        let script = "at 10s for 100s channel 1: stalled-playlist"
        try Self.expect(script, [(9.9, 9.9), (10, 10), (109.9, 10), (110, 110)])
        let station = try Self.station(script)
        for name in try LivePlaylist(station, at: 109).names {
            #expect(Self.status(station, "/ch1/\(name)", at: 109) == 200)
        }
    }

    @Test(arguments: [("playlist", 404, 200), ("segment", 200, 404), ("", 404, 404)])
    func status_isThatOfWhatTheLineNames(resource: String, playlist: Int, segment: Int) throws {
        let station = try Self.station("at 10s for 5s channel 1: status 404 \(resource)") {
            $0.channelCount = 2
        }
        for (seconds, isFaulty) in [(9.9, false), (10, true), (14.9, true), (15, false)] {
            #expect(Self.status(station, "/ch1/index.m3u8", at: seconds) == (isFaulty ? playlist : 200))
            #expect(Self.status(station, "/ch1/seg1004.ts", at: seconds) == (isFaulty ? segment : 200))
            #expect(Self.status(station, "/ch2/index.m3u8", at: seconds) == 200)
        }
    }

    @Test func sequenceReset_beginsAt0_withTheFirstSegmentSince() throws {
        let station = try Self.station("at 20s every 1h channel 1: sequence-reset")
        // The first segment that begins after 20 s begins at 25.6 s and ends at 32 s.
        for (seconds, sequence, first, count) in [
            (31.9, 1_004, 1_004, 6), (32, 0, 1_010, 1), (38.4, 0, 1_010, 2), (64, 0, 1_010, 6),
            (70.4, 1, 1_011, 6), (3_600, 552, 1_562, 6), (3_630, 0, 1_572, 1),
        ] {
            let playlist = try LivePlaylist(station, at: seconds)
            #expect(playlist.sequence == sequence && playlist.names.count == count, "\(seconds)")
            #expect(playlist.names.first == "seg\(first).ts", "\(seconds)")
            #expect(Self.status(station, "/ch1/seg\(first).ts", at: seconds) == 200)
        }
    }

    @Test(arguments: [("", false, true), ("playlist", true, false), ("segment", false, true)])
    func slowDrip_isThePaceOfWhatTheLineNames(resource: String, playlist: Bool, segment: Bool) throws {
        let station = try Self.station("at 10s for 5s channel 1: slow-drip 500 \(resource)")
        for (seconds, isFaulty) in [(9.9, false), (10, true), (15, false)] {
            for (path, isSlow) in [("/ch1/index.m3u8", playlist), ("/ch1/seg1004.ts", segment)] {
                let answer = station.answer(.init(path), at: .seconds(seconds))
                #expect(answer.bytesPerSecond == (isFaulty && isSlow ? 500 : nil), "\(path) at \(seconds)")
                #expect(answer.content.status == 200)
            }
        }
    }

    @Test func redirect_leadsToWhatWasAskedFor() throws {
        let station = try Self.station("at 10s for 5s channel 1: redirect")
        #expect(Self.status(station, "/ch1/index.m3u8", at: 9.9) == 200)
        let answer = station.answer(.init("/ch1/index.m3u8"), at: .seconds(10))
        #expect(answer.content.status == 302 && Self.field("Location", answer) == "/ch1/moved/index.m3u8")
        for seconds in [10, 14.9, 3_600] {
            let moved = try LivePlaylist(station, "/ch1/moved/index.m3u8", at: seconds)
            #expect(try moved == LivePlaylist(try Self.station(), at: seconds))
            #expect(Self.status(station, "/ch1/moved/\(moved.names[0])", at: seconds) == 200)
        }
        #expect(Self.status(station, "/ch1/seg1004.ts", at: 10) == 200)
        #expect(Self.status(station, "/ch1/index.m3u8", at: 15) == 200)
    }

    @Test func redirect_thatExpires_isGoneThen_andHasASuccessor() throws {
        let station = try Self.station("at 10s channel 1: redirect 20s")
        let locations = [10, 31].map {
            Self.field("Location", station.answer(.init("/ch1/index.m3u8"), at: .seconds($0)))
        }
        #expect(locations == ["/ch1/until30000/index.m3u8", "/ch1/until51000/index.m3u8"])
        #expect(Self.status(station, "/ch1/until30000/index.m3u8", at: 29.9) == 200)
        #expect(Self.status(station, "/ch1/until30000/index.m3u8", at: 30) == 410)
        #expect(Self.status(station, "/ch1/until51000/index.m3u8", at: 31) == 200)
    }

    @Test func session_thatExpires_isForbiddenThen_andHasASuccessor() throws {
        let station = try Self.station("at 10s every 1m channel 1: expired-session")
        for (seconds, session) in [(0, 1), (9.9, 1), (10, 2), (69.9, 2), (70, 3)] {
            #expect(try LivePlaylist(station, at: seconds).names == ["session\(session)/main/index.m3u8"])
            for other in 1...4 {
                let path = "/ch1/session\(other)/main/index.m3u8"
                #expect(
                    Self.status(station, path, at: seconds) == (other == session ? 200 : 403), "\(seconds)")
            }
            let playlist = try LivePlaylist(station, "/ch1/session\(session)/main/index.m3u8", at: seconds)
            #expect(
                Self.status(station, "/ch1/session\(session)/main/\(playlist.names[0])", at: seconds) == 200)
            #expect(Self.status(station, "/ch1/main/index.m3u8", at: seconds) == 403)
        }
    }

    // MARK: Faults of the stream

    @Test func changedKey_encryptsTheSegmentsSince_withAKeyForEachTime() throws {
        let script = "at 6.4s for 25.6s channel 1: changed-key 12.8s"
        let (station, plain) = (try Self.station(script), try Self.station())
        let playlist = try LivePlaylist(station, at: 44.8)
        #expect(playlist.names.first == "seg1007.ts")
        #expect(
            playlist.tags("EXT-X-KEY") == [
                "seg1007.ts": [
                    "#EXT-X-KEY:METHOD=AES-128,URI=\"key6400.bin\",IV=0x00000000000000000000000000001900"
                ],
                "seg1009.ts": [
                    "#EXT-X-KEY:METHOD=AES-128,URI=\"key19200.bin\",IV=0x00000000000000000000000000004b00"
                ],
                "seg1011.ts": ["#EXT-X-KEY:METHOD=NONE"],
            ])
        let keys = ["key6400.bin", "key19200.bin"].map {
            station.answer(.init("/ch1/\($0)"), at: .seconds(44.8)).content.body
        }
        #expect(keys[0].count == 16 && keys[1].count == 16 && keys[0] != keys[1])
        for number in 1_007...1_012 {
            let path = LiveStation.Request("/ch1/seg\(number).ts")
            let (sent, clear) = (
                station.answer(path, at: .seconds(44.8)).content.body,
                plain.answer(path, at: .seconds(44.8)).content.body
            )
            #expect((sent == clear) == (number >= 1_011))
            if number < 1_011 { #expect(sent.count == clear.count + 16 - clear.count % 16) }
        }
    }

    @Test func noTags_takesOutThoseThatClose_andNoOthers() throws {
        let (station, plain) = (
            try Self.station("at 60s for 60s channel 1: no-tags") { $0.windowSegmentCount = 40 },
            try Self.station { $0.windowSegmentCount = 40 }
        )
        let times = try [station, plain].map { station in
            let names = try LivePlaylist(station, at: 256).names
            let segments = names.map { station.answer(.init("/ch1/\($0)"), at: .seconds(256)).content.body }
            return try RawTransportStream(segments: segments).metadata.map {
                try SyntheticTagTests.lastTime(of: $0.payload)
            }
        }
        // The channel begins 256 s before its start; its tags close at every ten seconds of its own.
        let start = 1_795_176_000 - 256
        let missing = Set(times[1]).subtracting(times[0]).map { $0 - start }.sorted()
        #expect(missing == [320, 330, 340, 350, 360, 370])
        #expect(times[0].count == times[1].count - 6)
    }

    @Test func adBreak_ofEachMarking_isMarked_andHasTimesOfItsOwn() throws {
        for (marking, out, goesOn, back) in [
            (
                "cue", ["#EXT-X-CUE-OUT:DURATION=12.800"],
                ["#EXT-X-CUE-OUT-CONT:ElapsedTime=6.400,Duration=12.800"], ["#EXT-X-CUE-IN"]
            ),
            ("unmarked", [], [], []),
        ] {
            let station = try Self.station("at 6s for 12s channel 1: ad-break \(marking)")
            // Segments 1007 and 1008 begin at 6.4 s and 12.8 s.
            let tags = try LivePlaylist(station, at: 38.4).tags("EXT-X-CUE")
            let discontinuities = try LivePlaylist(station, at: 38.4).tags("EXT-X-DISCONTINUITY")
                .filter { $0.value.contains("#EXT-X-DISCONTINUITY") }
            #expect(discontinuities.keys.sorted() == ["seg1007.ts", "seg1009.ts"])
            #expect(tags["seg1007.ts"] ?? [] == out && tags["seg1008.ts"] ?? [] == goesOn)
            #expect(tags["seg1009.ts"] ?? [] == back && tags.count == (out.isEmpty ? 0 : 3))
        }
        let station = try Self.station("at 6s for 12s channel 1: ad-break daterange")
        let range = try LivePlaylist(station, at: 38.4).tags("EXT-X-DATERANGE")
        let splice = "0xFC301B000000000000FFFFF00A0500000007"
        #expect(
            range["seg1007.ts"]?.first?.hasPrefix(
                "#EXT-X-DATERANGE:ID=\"break7\",START-DATE=\"2026-11-20T12:00:06.400Z\",PLANNED-DURATION=12.800,"
                    + "SCTE35-OUT=\(splice)") == true, "\(range)")
        #expect(
            range["seg1009.ts"]?.first?.hasPrefix(
                "#EXT-X-DATERANGE:ID=\"break7\",START-DATE=\"2026-11-20T12:00:06.400Z\",DURATION=12.800,"
                    + "SCTE35-IN=\(splice)") == true)
        #expect(range.count == 2)
        // The first segment of the break has left the playlist; what says so has not.
        #expect(try LivePlaylist(station, at: 51.2).tags("EXT-X-DATERANGE")["seg1008.ts"]?.count == 1)
    }

    @Test func adBreak_hasNoTags_andTheProgramGoesOnAsIfTimeHadPassed() throws {
        let change = { (settings: inout LiveSettings) in
            settings.windowSegmentCount = 20
            settings.startPTS = 900_000
        }
        let station = try Self.station("at 6s for 20s channel 1: ad-break", change)
        let plain = try Self.station("", change)
        var kinds: [String] = []
        for name in try LivePlaylist(station, at: 64).names {
            let request = LiveStation.Request("/ch1/\(name)")
            let (sent, usual) = (
                station.answer(request, at: .seconds(64)).content.body,
                plain.answer(request, at: .seconds(64)).content.body
            )
            let stream = RawTransportStream(segments: [sent])
            if sent == usual { continue }
            kinds.append("\(name) \(stream.metadata.count)")
            #expect(stream.audioPTS != RawTransportStream(segments: [usual]).audioPTS)
        }
        #expect(kinds == (1_021...1_024).map { "seg\($0).ts 0" })
    }

    @Test func discontinuitySequence_countsThoseThatHaveLeft() throws {
        let station = try Self.station("at 6s every 60s for 12s channel 1: ad-break")
        // Discontinuities stand before 1007 and 1009, 1017 and 1019, 1026 and 1028.
        for (seconds, first, count) in [
            (0, 1_000, 0), (44.8, 1_007, 0), (51.2, 1_008, 1), (57.6, 1_009, 1), (64, 1_010, 2),
            (108.8, 1_017, 2),
            (115.2, 1_018, 3), (121.6, 1_019, 3), (128, 1_020, 4),
        ] {
            let playlist = try LivePlaylist(station, at: seconds)
            #expect(playlist.names[0] == "seg\(first).ts")
            #expect(playlist.value("EXT-X-DISCONTINUITY-SEQUENCE") == "\(count)", "\(seconds)")
        }
    }
}
