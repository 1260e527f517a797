import Testing

@testable import TextForms

@Suite struct CivilDateTests {
    /// Counts every day of four centuries.
    @Test func days_ofFourCenturies_areConsecutive() throws {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var number = try #require(CivilDate(year: 1699, month: 12, day: 31)).daysSince1970
        for year in 1700..<2100 {
            let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
            for month in 1...12 {
                let length = lengths[month - 1] + (month == 2 && isLeap ? 1 : 0)
                for day in 1...length {
                    number += 1
                    let date = try #require(CivilDate(year: year, month: month, day: day))
                    guard date.daysSince1970 == number, CivilDate(daysSince1970: number) == date else {
                        Issue.record("\(date.text) is not day \(number)")
                        return
                    }
                }
                try #require(CivilDate(year: year, month: month, day: length + 1) == nil)
            }
        }
    }

    @Test func knownDates_haveTheExpectedDayNumbersAndWeekdays() throws {
        #expect(CivilDate(daysSince1970: 0) == CivilDate(year: 1970, month: 1, day: 1))
        #expect(CivilDate(daysSince1970: 0).weekday == 4)
        #expect(CivilDate(daysSince1970: -1).text == "1969-12-31")
        #expect(CivilDate(daysSince1970: -719_468).text == "0000-03-01")
        let first = try #require(CivilDate(year: -400, month: 2, day: 29))
        #expect(CivilDate(daysSince1970: first.daysSince1970) == first && first.text == "-0400-02-29")
        #expect(try #require(CivilDate(year: 2000, month: 1, day: 1)).weekday == 6)
    }

    @Test(arguments: [
        (2026, 0, 1), (2026, 13, 1), (2026, 1, 0), (2026, 4, 31), (2026, 2, 29), (1900, 2, 29), (.max, 1, 1),
        (.min, 1, 1), (2026, .max, .max),
    ])
    func date_withInvalidComponents_isNil(year: Int, month: Int, day: Int) {
        #expect(CivilDate(year: year, month: month, day: day) == nil)
    }

    @Test func split_atDayBoundaries_isExact() {
        #expect(CivilDate.split(unixMilliseconds: 0) == (0, 0))
        #expect(CivilDate.split(unixMilliseconds: -1) == (-1, 86_399_999))
        #expect(CivilDate.split(unixMilliseconds: 86_400_000) == (1, 0))
        #expect(CivilDate.split(unixMilliseconds: -86_400_000) == (-1, 0))
        let last = CivilDate.split(unixMilliseconds: .min)
        #expect(last.daysSince1970 == -106_751_991_168 && last.millisecondsOfDay == 60_424_192)
    }
}
