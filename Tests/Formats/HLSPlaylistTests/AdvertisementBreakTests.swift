import HLSPlaylist
import Testing

@Suite struct AdvertisementBreakTests {
    private static let start = "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T12:00:00Z"
    private static let segment = "#EXTINF:6,\ns.ts"

    /// Returns a character for each segment of a playlist: `A` in a break, `.` otherwise.
    ///
    /// The line `-` stands for a segment of six seconds.
    private func breaks(_ lines: [String]) throws -> String {
        let text = ["#EXTM3U", "#EXT-X-TARGETDURATION:6"] + lines.map { $0 == "-" ? Self.segment : $0 }
        guard case .media(let playlist) = try Playlist(parsing: Array(text.joined(separator: "\n").utf8).span)
        else {
            throw WrongKind()
        }
        return playlist.segments.map { $0.isInBreak ? "A" : "." }.joined()
    }

    @Test(arguments: [
        ("#EXT-X-CUE-OUT", ".AAAAA"), ("#EXT-X-CUE-OUT:", ".AAAAA"), ("#EXT-X-CUE-OUT:0", ".AAAAA"),
        ("#EXT-X-CUE-OUT:12", ".AA..."), ("#EXT-X-CUE-OUT:12.000", ".AA..."),
        ("#EXT-X-CUE-OUT:DURATION=12.04", ".AA..."), ("#EXT-X-CUE-OUT:DURATION=\"12\",ID=\"7\"", ".AA..."),
        ("#EXT-X-CUE-OUT:Duration=16", ".AAA.."), ("#EXT-X-CUE-OUT:word", ".AAAAA"),
        ("#EXT-X-CUE-OUT-CONT:6/18", ".AA..."), ("#EXT-X-CUE-OUT-CONT:6.0/18.0", ".AA..."),
        ("#EXT-X-CUE-OUT-CONT:ElapsedTime=6.0,Duration=18.0,SCTE35=/DAlAA==", ".AA..."),
        ("#EXT-X-CUE-OUT-CONT", ".AAAAA"), ("#EXT-X-CUE-OUT-CONT:CAID=0x01", ".AAAAA"),
        ("#EXT-X-CUE-IN", "......"),
    ])
    func cue_ofEachForm_startsABreakOfItsDuration(tag: String, expected: String) throws {
        #expect(try breaks(["-", tag, "-", "-", "-", "-", "-"]) == expected)
    }

    @Test func cueIn_endsTheBreak_regardlessOfItsLength() throws {
        #expect(try breaks(["-", "#EXT-X-CUE-OUT:60", "-", "-", "#EXT-X-CUE-IN", "-", "-"]) == ".AA..")
        #expect(try breaks(["#EXT-X-CUE-OUT", "-", "#EXT-X-CUE-IN", "-", "#EXT-X-CUE-OUT", "-"]) == "A.A")
    }

    @Test func cueOutContinuation_correctsTheBreakLength() throws {
        #expect(
            try breaks(["#EXT-X-CUE-OUT:30", "-", "#EXT-X-CUE-OUT-CONT:6/12", "-", "-"]) == "AA.")
        #expect(try breaks(["#EXT-X-CUE-OUT:12", "-", "#EXT-X-CUE-OUT-CONT", "-", "-"]) == "AA.")
    }

    @Test(arguments: [
        ("DURATION=12", ".AA..."), ("PLANNED-DURATION=12", ".AA..."),
        ("DURATION=6,PLANNED-DURATION=12", ".A...."),
        ("END-DATE=\"2026-01-01T12:00:24Z\"", ".AAA.."), ("", ".AAAAA"),
    ])
    func dateRange_withEachKindOfEnd_marksABreak(end: String, expected: String) throws {
        let tag = "#EXT-X-DATERANGE:ID=\"b\",START-DATE=\"2026-01-01T12:00:06Z\",SCTE35-OUT=0xFC,\(end)"
        let segments = Array(repeating: "-", count: 6)
        #expect(try breaks([Self.start, tag] + segments) == expected)
        #expect(try breaks([Self.start] + segments + [tag]) == expected)
    }

    @Test func dateRange_withoutSCTE35_isNotABreak() throws {
        let tag =
            "#EXT-X-DATERANGE:ID=\"b\",START-DATE=\"2026-01-01T12:00:00Z\",CLASS=\"program\",DURATION=60"
        #expect(try breaks([Self.start, tag, "-", "-"]) == "..")
    }

    @Test func dateRange_withSCTE35In_endsTheBreak() throws {
        let out =
            "#EXT-X-DATERANGE:ID=\"b\",START-DATE=\"2026-01-01T12:00:00Z\",PLANNED-DURATION=60,SCTE35-OUT=0xFC"
        let actual = "#EXT-X-DATERANGE:ID=\"b\",DURATION=6,SCTE35-IN=0xFC"
        #expect(try breaks([Self.start, out, "-", actual, "-", "-"]) == "A..")
        // Without a length, the break ends at the tag.
        let here = "#EXT-X-DATERANGE:ID=\"b\",SCTE35-IN=0xFC"
        #expect(try breaks([Self.start, out, "-", "-", here, "-", "-"]) == "AA..")
    }

    @Test func dateRange_withoutValidStartDate_isReportedAndNotABreak() throws {
        let tag = "#EXT-X-DATERANGE:ID=\"b\",START-DATE=\"yesterday\",SCTE35-OUT=0xFC"
        #expect(try breaks([Self.start, tag, "-"]) == ".")
        let playlist = try mediaPlaylist(tag, "#EXT-X-DATERANGE:SCTE35-OUT=0xFC", "#EXTINF:6,", "s")
        #expect(playlist.problems.first.map(\.rule) == [.unreadableDate, .missingAttribute])
    }

    // MARK: Over loads

    /// Returns, for each version of a live playlist, whether its new segments are in a break.
    ///
    /// The versions are loaded a target duration apart.
    private func newBreaks(_ versions: [[String]]) throws -> [String] {
        var follower = PlaylistFollower()
        return try versions.enumerated().map { index, lines in
            let playlist = try mediaPlaylist(lines.joined(separator: "\n"))
            let update = follower.observe(.playlist(playlist), at: .seconds(6 * index))
            return update.newSegments.map { $0.isInBreak ? "A" : "." }.joined()
        }
    }

    private func window(_ first: Int, _ count: Int, before: [Int: String] = [:]) -> [String] {
        var lines = ["#EXT-X-MEDIA-SEQUENCE:\(first)"]
        for number in first..<first + count {
            if let line = before[number] { lines.append(line) }
            lines += ["#EXTINF:6,", "s\(number).ts"]
        }
        return lines
    }

    @Test func cue_thatHasLeftThePlaylist_isRememberedForItsLength() throws {
        let out = [3: "#EXT-X-CUE-OUT:24"]
        let versions = (1...7).map { window($0, 3, before: out) }
        #expect(try newBreaks(versions) == ["..A", "A", "A", "A", ".", ".", "."])
    }

    @Test func cue_thatHasLeftThePlaylist_isRememberedUntilCueIn() throws {
        let tags = [3: "#EXT-X-CUE-OUT", 8: "#EXT-X-CUE-IN"]
        #expect(
            try newBreaks((1...7).map { window($0, 3, before: tags) }) == [
                "..A", "A", "A", "A", "A", ".", ".",
            ])
    }

    @Test func dateRange_thatHasLeftThePlaylist_isRemembered() throws {
        let range =
            "#EXT-X-DATERANGE:ID=\"b\",START-DATE=\"2026-01-01T12:00:12Z\",PLANNED-DURATION=18,SCTE35-OUT=0xFC"
        let versions = (0...5).map { first in
            ["#EXT-X-PROGRAM-DATE-TIME:2026-01-01T12:00:\(first * 6 < 10 ? "0" : "")\(first * 6)Z"]
                + window(first, 3, before: [2: range])
        }
        #expect(try newBreaks(versions) == ["..A", "A", "A", ".", ".", "."])
    }

    @Test(arguments: [("12:00:30", "AA"), ("12:59:59", "AA"), ("13:00:01", "..")])
    func dateRange_withoutEnd_expiresAfterAnHour(time: String, marks: String) throws {
        let range = "#EXT-X-DATERANGE:ID=\"b\",START-DATE=\"2026-01-01T12:00:00Z\",SCTE35-OUT=0xFC"
        let versions = [
            [range, "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T12:00:00Z"] + window(0, 2),
            ["#EXT-X-PROGRAM-DATE-TIME:2026-01-01T\(time)Z"] + window(600, 2),
        ]
        #expect(try newBreaks(versions) == ["AA", marks])
    }
}
