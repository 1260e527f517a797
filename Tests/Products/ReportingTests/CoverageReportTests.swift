import Testing
import TextForms

@testable import Reporting

/// The forms of a report of channels and days.
@Suite struct CoverageReportTests {
    private static let hour: Int64 = 3_600_000
    /// 2024-03-31 in Oslo, a day of 23 hours.
    private static let start: Int64 = 1_711_839_600_000

    private static func day(
        _ times: [CoverageReport.State: [CoverageReport.Span]] = [:], expected: Int64 = 23 * hour
    ) -> CoverageReport.Day {
        let span = start..<start + 23 * hour
        return CoverageReport.Day(
            date: "2024-03-31", bounds: span, counted: span, expected: expected, times: times,
            tagCount: 8_280,
            lateCount: 3, copyCount: 8_000, monitorCount: 2)
    }

    private static func report(_ days: [CoverageReport.Day], name: String? = "Nyheter <b>& \"1\"</b>")
        -> CoverageReport
    {
        CoverageReport(
            days: "2024-03-31"..."2024-03-31", timeZone: "Europe/Oslo",
            offsets: [.init(start: 0, seconds: 3_600), .init(start: start + 2 * hour, seconds: 7_200)],
            channels: [.init(id: "news", name: name, days: days)])
    }

    private static let gap = start + hour..<start + 3 * hour

    private static func text(_ format: CoverageFormat, _ report: CoverageReport) -> String {
        String(decoding: format.document(of: report, producer: "dtvr", made: 0), as: UTF8.self)
    }

    @Test func csv_hasAStableHeader_andARowForEachDayAndTime() {
        let day = Self.day([.gap: [Self.gap], .advertisement: [Self.gap]])
        let expected = """
            row,day,channel,name,begin,end,begin_local,end_local,seconds,share,expected_seconds,tagged_seconds,gaps,\
            breaks,break_seconds,quiet_seconds,outage_seconds,backup_seconds,unknown_seconds,tags,copies,late,monitors
            day,2024-03-31,news,'=1+1,2024-03-30T23:00:00.000Z,2024-03-31T22:00:00.000Z,2024-03-31T00:00:00.000+01:00,\
            2024-04-01T00:00:00.000+02:00,82800,0.913043,82800,75600,1,1,7200,0,0,0,0,8280,8000,3,2
            gap,2024-03-31,news,'=1+1,2024-03-31T00:00:00.000Z,2024-03-31T02:00:00.000Z,2024-03-31T01:00:00.000+01:00,\
            2024-03-31T04:00:00.000+02:00,7200,,,,,,,,,,,,,,
            break,2024-03-31,news,'=1+1,2024-03-31T00:00:00.000Z,2024-03-31T02:00:00.000Z,\
            2024-03-31T01:00:00.000+01:00,2024-03-31T04:00:00.000+02:00,7200,,,,,,,,,,,,,,

            """
        #expect(Self.text(.csv, Self.report([day], name: "=1+1")) == expected)
    }

    @Test func unknownBreaks_areNotZero_inAnyForm() {
        let report = Self.report([Self.day([.unknown: [Self.start..<Self.start + 23 * Self.hour]])])
        #expect(Self.text(.csv, report).contains(",82800,82800,0,,,,,,82800,8280,"))
        #expect(Self.text(.json, report).contains(#""breaks":"unknown""#))
        let page = Self.text(.html, report)
        #expect(page.contains("breaks unknown") && !page.contains("no breaks"))
        let partly = Self.day([.unknown: [Self.start..<Self.start + 90 * 60_000]])
        #expect(partly.unknownText == "breaks unknown for 1 h 30 min")
        #expect(Self.day([.unknown: [Self.start..<Self.start + 59_999]]).unknownText == nil)
    }

    @Test func page_escapesNames_andLoadsNothing() {
        let page = Self.text(.html, Self.report([Self.day([.gap: [Self.gap]])]))
        #expect(page.contains("Nyheter &lt;b&gt;&amp; &quot;1&quot;&lt;/b&gt;") && !page.contains("<b>"))
        #expect(!page.contains("http://") && !page.contains("https://") && !page.contains(" style="))
        // UTC and local times of the gap, across the change of clocks.
        for cell in ["00:00:00", "02:00:00", "01:00:00", "04:00:00", "2 h"] {
            #expect(page.contains("<td>\(cell)</td>"), "\(cell)")
        }
    }

    @Test func json_isOneObject_withTheTimesOfEachState() {
        let json = Self.text(.json, Self.report([Self.day([.backup: [Self.gap]])]))
        #expect(
            json.hasPrefix(#"{"from":"2024-03-31","to":"2024-03-31","time_zone":"Europe/Oslo","made":"1970"#))
        #expect(
            json.contains(
                #""backup":[{"begin":"2024-03-31T00:00:00.000Z","end":"2024-03-31T02:00:00.000Z","#
                    + #""begin_local":"2024-03-31T01:00:00.000+01:00","end_local":"2024-03-31T04:00:00.000+02:00","#
                    + #""seconds":7200}]"#), "\(json)")
        #expect(json.hasSuffix("}]}\n") && json.contains(#""unknown":[]"#))
    }

    @Test func share_isRoundedDown_andUnknownWithoutExpectedTime() {
        #expect(CoverageText.percent(0.99999) == "99.99 %")
        #expect(CoverageText.percent(1) == "100 %")
        #expect(CoverageText.percent(0) == "0.00 %")
        #expect(CoverageText.percent(nil) == "–")
        #expect(CoverageText.share(of: [Self.day(expected: 0)]) == nil)
        #expect(Self.text(.html, Self.report([Self.day(expected: 0)])).contains("no tags expected"))
    }

    @Test func duration_isForPeople() {
        for (milliseconds, text) in [
            (0, "0 s"), (9_400, "9 s"), (59_600, "1 min"), (110_000, "1 min 50 s"), (3_600_000, "1 h"),
            (5_400_000, "1 h 30 min"), (3 * 86_400_000, "72 h"),
        ] as [(Int64, String)] { #expect(CoverageText.duration(milliseconds) == text) }
    }
}
