import HLSPlaylist
import Testing

@Suite struct MediaPlaylistTests {
    /// Durations are at most 1,000,000 s; see docs/playlist-limits.md.
    @Test(arguments: [
        ("1000000", true), ("1000000.001", false), ("1000001", false), ("99999999999999", false),
    ])
    func duration_aboveTheMaximum_isAProblem(text: String, isValid: Bool) throws {
        let playlist = try mediaPlaylist("#EXTINF:\(text),", "a.ts")
        #expect(playlist.segments.map(\.duration) == [isValid ? 1_000_000 : 6])
        #expect(playlist.problems.first.contains { $0.rule == .unreadableNumber } == !isValid)
    }

    @Test(
        arguments: [
            ("10", 10), ("10,", 10), ("9.976667,title", 9.976667), (" 4.0 , x", 4), ("0,", 0), (".5,", 0.5),
            ("3.,", 3),
            ("5.005005005005005005005,", 5.005005005005005),
        ] as [(String, Double)])
    func duration_validOrNearlyValid_isExact(text: String, expected: Double) throws {
        let playlist = try mediaPlaylist("#EXTINF:\(text)", "a")
        #expect(playlist.segments.first?.duration == expected)
        #expect(playlist.problems.isEmpty)
    }

    @Test(arguments: [
        ("-1,", 6), ("abc,", 6), (",", 6), ("4.5s,", 4.5), ("nan", 6), ("1e300,", 1),
        ("99999999999999999999,", 6),
    ])
    func malformedDuration_isReportedAsUnreadableNumber(text: String, expected: Double) throws {
        let playlist = try mediaPlaylist("#EXTINF:\(text)", "a")
        #expect(playlist.segments.first?.duration == expected)
        #expect(playlist.problems.first.first?.rule == .unreadableNumber)
        #expect(playlist.problems.first.first?.line == 3)
    }

    @Test func byteRange_withoutOffset_followsThePreviousRange() throws {
        let playlist = try mediaPlaylist(
            "#EXTINF:1,", "#EXT-X-BYTERANGE:100@50", "a", "#EXTINF:1,", "#EXT-X-BYTERANGE:30", "a",
            "#EXT-X-BYTERANGE:7", "#EXTINF:1,", "a", "#EXTINF:1,", "#EXT-X-BYTERANGE:5", "b")
        #expect(playlist.segments.map { $0.byteRange?.offset } == [50, 150, 180, 0])
        #expect(playlist.segments.map { $0.byteRange?.length } == [100, 30, 7, 5])
        #expect(playlist.problems.first.map(\.rule) == [.byteRangeWithoutOffset])
    }

    @Test func byteRangeOfAPart_withoutOffset_isReportedUnlessARangePrecedesIt() throws {
        let playlist = try mediaPlaylist(
            "#EXT-X-PART-INF:PART-TARGET=0.5", "#EXT-X-PART:DURATION=0.5,URI=\"a\",BYTERANGE=20",
            "#EXT-X-PART:DURATION=0.5,URI=\"a\",BYTERANGE=30", "#EXTINF:1,", "a")
        #expect(playlist.parts.map { $0.byteRange?.offset } == [0, 20])
        #expect(playlist.problems.first.map(\.rule) == [.byteRangeWithoutOffset])
    }

    @Test(arguments: ["", "x", "5@", "@5", "-5@1", "9223372036854775807@1", "99999999999999999999@0", "5@x"])
    func unreadableByteRange_isNilAndReported(text: String) throws {
        let playlist = try mediaPlaylist("#EXTINF:1,", "#EXT-X-BYTERANGE:\(text)", "a")
        #expect(playlist.segments.first?.byteRange == nil)
        #expect(playlist.problems.first.map(\.rule) == [.unreadableByteRange])
    }

    @Test func sequenceNumbers_countUpFromTheirTags() throws {
        let playlist = try mediaPlaylist(
            "#EXT-X-MEDIA-SEQUENCE:7", "#EXT-X-DISCONTINUITY-SEQUENCE:3", "#EXTINF:1,", "a",
            "#EXT-X-DISCONTINUITY", "#EXTINF:1,", "b", "#EXT-X-GAP", "#EXTINF:1,", "c")
        #expect(playlist.segments.map(\.mediaSequence) == [7, 8, 9])
        #expect(playlist.segments.map(\.discontinuitySequence) == [3, 4, 4])
        #expect(playlist.segments.map(\.isDiscontinuity) == [false, true, false])
        #expect(playlist.segments.map(\.isGap) == [false, false, true])
        #expect(playlist.mediaSequence == 7)
        #expect(playlist.discontinuitySequence == 3)
    }

    @Test(arguments: ["-1", "9223372036854775807", "x", ""])
    func invalidMediaSequence_isZeroAndReported(text: String) throws {
        let playlist = try mediaPlaylist("#EXT-X-MEDIA-SEQUENCE:\(text)", "#EXTINF:1,", "a")
        #expect(playlist.segments.map(\.mediaSequence) == [0])
        #expect(playlist.problems.first.map(\.rule) == [.unreadableNumber])
    }

    @Test func programDateTime_isCarriedForward_untilADiscontinuity() throws {
        let playlist = try mediaPlaylist(
            "#EXTINF:1,", "a", "#EXT-X-PROGRAM-DATE-TIME:1970-01-01T00:00:10.500Z", "#EXTINF:2.002,", "b",
            "#EXTINF:2.002,", "c", "#EXTINF:2.002,", "d", "#EXT-X-DISCONTINUITY", "#EXTINF:2,", "e",
            "#EXT-X-DISCONTINUITY", "#EXT-X-PROGRAM-DATE-TIME:1970-01-01T01:00:00+01:00", "#EXTINF:2,", "f")
        #expect(
            playlist.segments.map(\.programDateTimeMilliseconds) == [nil, 10_500, 12_502, 14_504, nil, 0])
        #expect(playlist.problems.isEmpty)
    }

    @Test func keys_replaceOnlyKeysOfTheSameFormat() throws {
        let playlist = try mediaPlaylist(
            "#EXTINF:1,", "a",
            "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://x\",KEYFORMAT=\"com.apple.streamingkeydelivery\"",
            "#EXT-X-KEY:METHOD=AES-128,URI=\"k?a,b\"", "#EXTINF:1,", "b",
            "#EXT-X-KEY:METHOD=AES-128,URI=\"k2\",IV=0X0123456789abcdefABCDEF0123456789", "#EXTINF:1,", "c",
            "#EXT-X-KEY:METHOD=NONE", "#EXTINF:1,", "d")
        #expect(playlist.segments.map(\.keys.count) == [0, 2, 2, 0])
        let first = try #require(playlist.segments[1].key)
        #expect(first.method == .aes128 && first.uri == "k?a,b" && first.statedInitializationVector == nil)
        #expect(first.initializationVector(mediaSequence: 0x0102) == Array(repeating: 0, count: 14) + [1, 2])
        // Numbers derived from a time in microseconds exceed 32 bits.
        #expect(
            first.initializationVector(mediaSequence: 0x0102_0304_0506_0708)
                == Array(repeating: 0, count: 8) + [1, 2, 3, 4, 5, 6, 7, 8])
        let second = try #require(playlist.segments[2].key)
        #expect(second.uri == "k2")
        #expect(
            second.initializationVector(mediaSequence: 9)
                == [
                    0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xAB, 0xCD, 0xEF, 0x01, 0x23, 0x45, 0x67,
                    0x89,
                ])
        #expect(playlist.problems.isEmpty)
    }

    @Test func initializationVector_withFewDigits_isPaddedOnTheLeft() throws {
        let playlist = try mediaPlaylist("#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x1F2", "#EXTINF:1,", "a")
        #expect(
            playlist.segments[0].key?.statedInitializationVector
                == Array(repeating: 0, count: 14) + [0x01, 0xF2])
    }

    @Test(arguments: ["0x", "1F", "0xG", "0x0123456789ABCDEF0123456789ABCDEF0"])
    func unreadableInitializationVector_isReported(text: String) throws {
        let playlist = try mediaPlaylist("#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=\(text)", "#EXTINF:1,", "a")
        #expect(playlist.segments[0].key?.statedInitializationVector == nil)
        #expect(playlist.problems.first.map(\.rule) == [.unreadableAttribute])
    }

    @Test func map_appliesToTheSegmentsAfterIt() throws {
        let playlist = try mediaPlaylist(
            "#EXTINF:1,", "a", "#EXT-X-MAP:URI=\"i.mp4\",BYTERANGE=\"720@8\"", "#EXTINF:1,", "b",
            "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"", "#EXT-X-MAP:URI=\"j.mp4\",BYTERANGE=\"5\"", "#EXTINF:1,",
            "c")
        #expect(playlist.segments.map { $0.map?.uri } == [nil, "i.mp4", "j.mp4"])
        #expect(playlist.segments[1].map?.byteRange == ByteRange(offset: 8, length: 720))
        #expect(playlist.segments[2].map?.byteRange == ByteRange(offset: 0, length: 5))
        #expect(playlist.segments.map { $0.map?.key?.uri } == [nil, nil, "k"])
    }

    @Test func variables_ofEachKind_areSubstituted() throws {
        let playlist = try mediaPlaylist(
            "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"one\"", "#EXT-X-DEFINE:IMPORT=\"b\"",
            "#EXT-X-DEFINE:QUERYPARAM=\"t\"", "#EXT-X-DEFINE:NAME=\"c\",VALUE=\"{$a}/{$b}\"", "#EXTINF:1,",
            "{$c}/{$t}.ts", "#EXTINF:1,", "{$none}-{$a", importing: ["b": "two"],
            address: "http://h/p.m3u8?t=x%20y")
        #expect(playlist.segments.map(\.uri) == ["one/two/x y.ts", "{$none}-{$a"])
        #expect(playlist.problems.first.map(\.rule) == [.undefinedVariable])
        #expect(playlist.variables == ["a": "one", "b": "two", "t": "x y", "c": "one/two"])
    }

    @Test func nestedDefinitions_stayBounded() throws {
        var lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:1", "#EXT-X-DEFINE:NAME=\"v0\",VALUE=\"0123456789\""]
        for index in 1...30 {
            let references = Array(repeating: "{$v\(index - 1)}", count: 10).joined()
            lines.append("#EXT-X-DEFINE:NAME=\"v\(index)\",VALUE=\"\(references)\"")
        }
        lines += ["#EXTINF:1,", "{$v30}"]
        let playlist = try Playlist(parsing: Array(lines.joined(separator: "\n").utf8).span)
        guard case .media(let media) = playlist else { throw WrongKind() }
        #expect((media.segments.first?.uri.utf8.count ?? .max) < 70_000)
        #expect(!media.problems.isEmpty)
    }

    @Test func lowLatencyTags_areReadAlongsideSegments() throws {
        let playlist = try mediaPlaylist(
            "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.0",
            "#EXT-X-PART-INF:PART-TARGET=0.5",
            "#EXT-X-MEDIA-SEQUENCE:10", "#EXT-X-SKIP:SKIPPED-SEGMENTS=3", "#EXTINF:1,", "a",
            "#EXT-X-PART:DURATION=0.5,URI=\"b\",BYTERANGE=\"10@5\",INDEPENDENT=YES",
            "#EXT-X-PART:DURATION=0.5,URI=\"b\",BYTERANGE=20", "#EXTINF:1,", "b",
            "#EXT-X-PART:DURATION=0.4,URI=\"c\",GAP=YES",
            "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"d\",BYTERANGE-START=9")
        #expect(playlist.segments.map(\.mediaSequence) == [13, 14])
        #expect(playlist.skippedSegmentCount == 3)
        #expect(playlist.parts.map(\.mediaSequence) == [14, 14, 15])
        #expect(playlist.parts.map(\.index) == [0, 1, 0])
        #expect(playlist.parts.map { $0.byteRange?.offset } == [5, 15, nil])
        #expect(playlist.parts.map(\.isIndependent) == [true, false, false])
        #expect(playlist.parts.map(\.isGap) == [false, false, true])
        #expect(playlist.partTargetDuration == 0.5)
        #expect(playlist.serverControl?.canBlockReload == true)
        #expect(playlist.serverControl?.partHoldBack == 1)
        #expect(playlist.preloadHints.map(\.kind) == [.part])
        #expect(playlist.preloadHints.map(\.uri) == ["d"])
        #expect(playlist.preloadHints.map(\.offset) == [9])
        #expect(playlist.problems.isEmpty)
    }

    @Test func endlistAndPlaylistType_determineWhetherAPlaylistIsLive() throws {
        #expect(try mediaPlaylist("#EXTINF:1,", "a").isLive)
        #expect(try mediaPlaylist("#EXT-X-PLAYLIST-TYPE:EVENT", "#EXTINF:1,", "a").isLive)
        #expect(try !mediaPlaylist("#EXT-X-PLAYLIST-TYPE:VOD", "#EXTINF:1,", "a").isLive)
        #expect(try !mediaPlaylist("#EXTINF:1,", "a", "#EXT-X-ENDLIST").isLive)
    }

    @Test func uri_withInvalidUTF8_isRepairedAndReported() throws {
        let bytes = Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\na".utf8) + [0xFF, 0x62]
        let playlist = try Playlist(parsing: bytes.span)
        guard case .media(let media) = playlist else { throw WrongKind() }
        #expect(media.segments.map(\.uri) == ["a\u{FFFD}b"])
        #expect(media.problems.first.map(\.rule) == [.notUTF8])
    }
}
