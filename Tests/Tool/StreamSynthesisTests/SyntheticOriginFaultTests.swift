import Foundation
import HTTPServing
import Testing

@testable import StreamSynthesis

/// The answers of a live origin with each fault of a script.
@Suite struct SyntheticOriginFaultTests {
    // MARK: Faults of playlists

    /// Expects that at each time, the playlist equals that of an origin without faults at the time `asOf`.
    private static func expect(
        _ script: String, _ table: [(seconds: Double, asOf: Double)],
        location: SourceLocation = #_sourceLocation
    ) throws {
        let (faulty, normal) = (try SyntheticOriginTests.station(script), try SyntheticOriginTests.station())
        for (seconds, asOf) in table {
            #expect(
                try LivePlaylist(faulty, at: seconds) == LivePlaylist(normal, at: asOf), "at \(seconds)",
                sourceLocation: location)
        }
    }

    @Test func latePlaylist_stalls_thenLags_thenCatchesUp() throws {
        try Self.expect(
            "at 10s for 20s channel 1: late-playlist 8s",
            [(9.9, 9.9), (12.8, 10), (17.9, 10), (20.8, 12.8), (29.9, 21.9), (30, 30), (100, 100)])
    }

    @Test func stalledPlaylist_isUnchanged_andItsSegmentsStayAvailable() throws {
        let script = "at 10s for 100s channel 1: stalled-playlist"
        try Self.expect(script, [(9.9, 9.9), (10, 10), (109.9, 10), (110, 110)])
        let station = try SyntheticOriginTests.station(script)
        for name in try LivePlaylist(station, at: 109).names {
            #expect(SyntheticOriginTests.status(station, "/ch1/\(name)", at: 109) == 200)
        }
    }

    @Test(arguments: [("playlist", 404, 200), ("segment", 200, 404), ("", 404, 404)])
    func status_appliesToTheResourceInTheScript(resource: String, playlist: Int, segment: Int) throws {
        let station = try SyntheticOriginTests.station("at 10s for 5s channel 1: status 404 \(resource)") {
            $0.channelCount = 2
        }
        for (seconds, isFaulty) in [(9.9, false), (10, true), (14.9, true), (15, false)] {
            #expect(
                SyntheticOriginTests.status(station, "/ch1/index.m3u8", at: seconds)
                    == (isFaulty ? playlist : 200))
            #expect(
                SyntheticOriginTests.status(station, "/ch1/seg1004.ts", at: seconds)
                    == (isFaulty ? segment : 200)
            )
            #expect(SyntheticOriginTests.status(station, "/ch2/index.m3u8", at: seconds) == 200)
        }
    }

    @Test func sequenceReset_restartsAt0_withTheNextSegment() throws {
        let station = try SyntheticOriginTests.station("at 20s every 1h channel 1: sequence-reset")
        // The first segment that begins after 20 s begins at 25.6 s and ends at 32 s.
        for (seconds, sequence, first, count) in [
            (31.9, 1_004, 1_004, 6), (32, 0, 1_010, 1), (38.4, 0, 1_010, 2), (64, 0, 1_010, 6),
            (70.4, 1, 1_011, 6), (3_600, 552, 1_562, 6), (3_630, 0, 1_572, 1),
        ] {
            let playlist = try LivePlaylist(station, at: seconds)
            #expect(playlist.sequence == sequence && playlist.names.count == count, "\(seconds)")
            #expect(playlist.names.first == "seg\(first).ts", "\(seconds)")
            #expect(SyntheticOriginTests.status(station, "/ch1/seg\(first).ts", at: seconds) == 200)
        }
    }

    @Test(arguments: [("", false, true), ("playlist", true, false), ("segment", false, true)])
    func slowDrip_appliesToTheResourceInTheScript(resource: String, playlist: Bool, segment: Bool) throws {
        let station = try SyntheticOriginTests.station("at 10s for 5s channel 1: slow-drip 500 \(resource)")
        for (seconds, isFaulty) in [(9.9, false), (10, true), (15, false)] {
            for (path, isSlow) in [("/ch1/index.m3u8", playlist), ("/ch1/seg1004.ts", segment)] {
                let answer = station.answer(.init(path), at: .seconds(seconds))
                #expect(answer.bytesPerSecond == (isFaulty && isSlow ? 500 : nil), "\(path) at \(seconds)")
                #expect(answer.content.status == 200)
            }
        }
    }

    @Test func redirect_leadsToTheRequestedPlaylist() throws {
        let station = try SyntheticOriginTests.station("at 10s for 5s channel 1: redirect")
        #expect(SyntheticOriginTests.status(station, "/ch1/index.m3u8", at: 9.9) == 200)
        let answer = station.answer(.init("/ch1/index.m3u8"), at: .seconds(10))
        #expect(
            answer.content.status == 302
                && SyntheticOriginTests.field("Location", answer) == "/ch1/moved/index.m3u8")
        for seconds in [10, 14.9, 3_600] {
            let moved = try LivePlaylist(station, "/ch1/moved/index.m3u8", at: seconds)
            #expect(try moved == LivePlaylist(try SyntheticOriginTests.station(), at: seconds))
            #expect(SyntheticOriginTests.status(station, "/ch1/moved/\(moved.names[0])", at: seconds) == 200)
        }
        #expect(SyntheticOriginTests.status(station, "/ch1/seg1004.ts", at: 10) == 200)
        #expect(SyntheticOriginTests.status(station, "/ch1/index.m3u8", at: 15) == 200)
    }

    @Test func redirect_thatExpired_isGone_andHasASuccessor() throws {
        let station = try SyntheticOriginTests.station("at 10s channel 1: redirect 20s")
        let locations = [10, 31].map {
            SyntheticOriginTests.field("Location", station.answer(.init("/ch1/index.m3u8"), at: .seconds($0)))
        }
        #expect(locations == ["/ch1/until30000/index.m3u8", "/ch1/until51000/index.m3u8"])
        #expect(SyntheticOriginTests.status(station, "/ch1/until30000/index.m3u8", at: 29.9) == 200)
        #expect(SyntheticOriginTests.status(station, "/ch1/until30000/index.m3u8", at: 30) == 410)
        #expect(SyntheticOriginTests.status(station, "/ch1/until51000/index.m3u8", at: 31) == 200)
    }

    @Test func session_thatExpired_isForbidden_andHasASuccessor() throws {
        let station = try SyntheticOriginTests.station("at 10s every 1m channel 1: expired-session")
        for (seconds, session) in [(0, 1), (9.9, 1), (10, 2), (69.9, 2), (70, 3)] {
            #expect(try LivePlaylist(station, at: seconds).names == ["session\(session)/main/index.m3u8"])
            for other in 1...4 {
                let path = "/ch1/session\(other)/main/index.m3u8"
                #expect(
                    SyntheticOriginTests.status(station, path, at: seconds) == (other == session ? 200 : 403),
                    "\(seconds)")
            }
            let playlist = try LivePlaylist(station, "/ch1/session\(session)/main/index.m3u8", at: seconds)
            #expect(
                SyntheticOriginTests.status(
                    station, "/ch1/session\(session)/main/\(playlist.names[0])", at: seconds) == 200)
            #expect(SyntheticOriginTests.status(station, "/ch1/main/index.m3u8", at: seconds) == 403)
        }
    }

    // MARK: Faults of the stream

    @Test func changedKey_encryptsLaterSegments_andRotatesTheKey() throws {
        let script = "at 6.4s for 25.6s channel 1: changed-key 12.8s"
        let (station, plain) = (try SyntheticOriginTests.station(script), try SyntheticOriginTests.station())
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
            let path = SyntheticOrigin.Request("/ch1/seg\(number).ts")
            let (sent, clear) = (
                station.answer(path, at: .seconds(44.8)).content.body,
                plain.answer(path, at: .seconds(44.8)).content.body
            )
            #expect((sent == clear) == (number >= 1_011))
            if number < 1_011 { #expect(sent.count == clear.count + 16 - clear.count % 16) }
        }
    }

    @Test func noTags_removesOnlyTagsThatCloseDuringIt() throws {
        let (station, plain) = (
            try SyntheticOriginTests.station("at 60s for 60s channel 1: no-tags") {
                $0.windowSegmentCount = 40
            },
            try SyntheticOriginTests.station { $0.windowSegmentCount = 40 }
        )
        let times = try [station, plain].map { station in
            let names = try LivePlaylist(station, at: 256).names
            let segments = names.map { station.answer(.init("/ch1/\($0)"), at: .seconds(256)).content.body }
            return try segments.flatMap(LivePlaylist.tags).map(SyntheticTagTests.lastTime)
        }
        // The channel begins 256 s before its start, and its tags close every ten seconds from there.
        let start = 1_795_176_000 - 256
        let missing = Set(times[1]).subtracting(times[0]).map { $0 - start }.sorted()
        #expect(missing == [320, 330, 340, 350, 360, 370])
        #expect(times[0].count == times[1].count - 6)
    }

    @Test func adBreak_ofEachMarking_hasItsTagsAndDiscontinuities() throws {
        for (marking, out, goesOn, back) in [
            (
                "cue", ["#EXT-X-CUE-OUT:DURATION=12.800"],
                ["#EXT-X-CUE-OUT-CONT:ElapsedTime=6.400,Duration=12.800"], ["#EXT-X-CUE-IN"]
            ),
            ("unmarked", [], [], []),
        ] {
            let station = try SyntheticOriginTests.station("at 6s for 12s channel 1: ad-break \(marking)")
            // Segments 1007 and 1008 begin at 6.4 s and 12.8 s.
            let tags = try LivePlaylist(station, at: 38.4).tags("EXT-X-CUE")
            let discontinuities = try LivePlaylist(station, at: 38.4).tags("EXT-X-DISCONTINUITY")
                .filter { $0.value.contains("#EXT-X-DISCONTINUITY") }
            #expect(discontinuities.keys.sorted() == ["seg1007.ts", "seg1009.ts"])
            #expect(tags["seg1007.ts"] ?? [] == out && tags["seg1008.ts"] ?? [] == goesOn)
            #expect(tags["seg1009.ts"] ?? [] == back && tags.count == (out.isEmpty ? 0 : 3))
        }
        let station = try SyntheticOriginTests.station("at 6s for 12s channel 1: ad-break daterange")
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
        // The first segment of the break has left the playlist; the tag of the break has not.
        #expect(try LivePlaylist(station, at: 51.2).tags("EXT-X-DATERANGE")["seg1008.ts"]?.count == 1)
    }

    @Test func adBreak_hasNoTags_andOtherSegmentsAreUnchanged() throws {
        let change = { (settings: inout LiveSettings) in
            settings.windowSegmentCount = 20
            settings.startPTS = 900_000
        }
        let station = try SyntheticOriginTests.station("at 6s for 20s channel 1: ad-break", change)
        let plain = try SyntheticOriginTests.station("", change)
        var kinds: [String] = []
        for name in try LivePlaylist(station, at: 64).names {
            let request = SyntheticOrigin.Request("/ch1/\(name)")
            let (sent, usual) = (
                station.answer(request, at: .seconds(64)).content.body,
                plain.answer(request, at: .seconds(64)).content.body
            )
            if sent == usual { continue }
            kinds.append("\(name) \(LivePlaylist.tags(in: sent).count)")
            // The first packets precede the tags, and have the first timestamps.
            #expect(sent.prefix(6 * 188) != usual.prefix(6 * 188))
        }
        #expect(kinds == (1_021...1_024).map { "seg\($0).ts 0" })
    }

    @Test func discontinuitySequence_countsRemovedDiscontinuities() throws {
        let station = try SyntheticOriginTests.station("at 6s every 60s for 12s channel 1: ad-break")
        // Discontinuities precede segments 1007 and 1009, 1017 and 1019, 1026 and 1028.
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
