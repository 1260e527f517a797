import HLSPlaylist
import Testing

@Suite struct ProgramDateTimeTests {
    private func milliseconds(_ text: String) throws -> Int64? {
        try mediaPlaylist("#EXT-X-PROGRAM-DATE-TIME:\(text)", "#EXTINF:1,", "a")
            .segments.first?.programDateTimeMilliseconds
    }

    /// Values from `date -u -d … +%s`.
    @Test(
        arguments: [
            ("2010-02-19T14:54:23.031+08:00", 1_266_562_463_031),
            ("2010-02-19T06:54:23.031Z", 1_266_562_463_031),
            ("2010-02-19t06:54:23.031z", 1_266_562_463_031), ("2010-02-19 06:54:23,031", 1_266_562_463_031),
            ("20100219T065423.031Z", 1_266_562_463_031), ("2010-02-19T06:54:23.031 +0000", 1_266_562_463_031),
            ("2010-02-19T01:54:23.031-0500", 1_266_562_463_031),
            ("2010-02-18T22:54:23.031-08", 1_266_562_463_031),
            ("2010-02-19_06:54:23.0314999Z", 1_266_562_463_031),
            ("2010-02-19T06:54:23.0305Z", 1_266_562_463_031),
            ("1970-01-01T00:00Z", 0), ("1969-12-31T23:59:59.999Z", -1),
            ("2000-02-29T00:00:00Z", 951_782_400_000),
            ("2100-03-01T00:00:00Z", 4_107_542_400_000), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
            ("2016-12-31T24:00:00Z", 1_483_228_800_000), ("0001-01-01T00:00:00Z", -62_135_596_800_000),
            ("9999-12-31T23:59:59.9999Z", 253_402_300_800_000), ("2010-02-19T06:54:23.1Z", 1_266_562_463_100),
        ] as [(String, Int64)])
    func date_inEachFormat_isConvertedToUnixMilliseconds(text: String, expected: Int64) throws {
        #expect(try milliseconds(text) == expected)
    }

    @Test(arguments: [
        "", "2010", "2010-02-19", "2010-13-19T06:54:23Z", "2010-02-29T06:54:23Z", "2100-02-29T00:00:00Z",
        "2010-00-19T06:54:23Z", "2010-02-00T06:54:23Z", "2010-02-19T25:54:23Z", "2010-02-19T24:00:01Z",
        "2010-02-19T24:01:00Z",
        "2010-02-19T06:60:23Z", "2010-02-19T06:54:61Z", "2010-02-19T06:54:23.Z", "2010-02-19T06:54:23Q",
        "2010-02-19T06:54:23+8", "2010-02-19T06:54:23+24:00", "2010-02-19T06:54:23+08:60",
        "2010-02-19T06:54:23Zx", "CLEARLY_NOT_A_DATE_TIME",
    ])
    func unreadableDate_isNil(text: String) throws {
        #expect(try milliseconds(text) == nil)
    }

    /// The first and the last day of each month of eight centuries.
    @Test func date_onFirstAndLastDayOfEachMonth_isExact() throws {
        var lines: [String] = []
        var expected: [Int64] = []
        var milliseconds: Int64 = -11_676_096_000_000  // 1600-01-01
        for year in 1_600..<2_400 {
            for month in 1...12 {
                let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
                let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
                for day in [1, days] {
                    let date = "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
                    lines.append("#EXT-X-PROGRAM-DATE-TIME:\(date)T00:00:00Z\n#EXTINF:1,\na")
                    expected.append(milliseconds + Int64(day - 1) * 86_400_000)
                }
                milliseconds += Int64(days) * 86_400_000
            }
        }
        let playlist = try mediaPlaylist(lines.joined(separator: "\n"))
        #expect(playlist.segments.map(\.programDateTimeMilliseconds) == expected)
    }
}
