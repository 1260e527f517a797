/// A day in the proleptic Gregorian calendar.
package struct CivilDate: Sendable, Hashable {
    /// The year; 0 is the year before year 1.
    package let year: Int
    /// The month, 1 to 12.
    package let month: Int
    /// The day of the month, 1 to 31.
    package let day: Int

    /// Creates a date; returns nil if it does not exist in the calendar.
    package init?(year: Int, month: Int, day: Int) {
        // The range exceeds all practical dates and prevents overflow.
        guard (-1_000_000...1_000_000).contains(year), (1...12).contains(month), day >= 1,
            day <= Self.dayCount(ofMonth: month, year: year)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Creates the date that is a number of days after 1 January 1970, or before it if negative.
    ///
    /// The algorithm uses eras of 400 years, each of 146,097 days. Its years begin on 1 March, so that the leap day is
    /// the last day of a year.
    package init(daysSince1970: Int64) {
        let daysSinceMarch = daysSince1970 + 719_468
        let dayOfEra = Self.floorModulo(daysSinceMarch, 146_097)
        let era = (daysSinceMarch - dayOfEra) / 146_097
        let leapDays = dayOfEra / 1_460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leapDays) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
        month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
    }

    /// The number of days since 1 January 1970; negative before that date.
    package var daysSince1970: Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let yearOfEra = Int(Self.floorModulo(Int64(shifted), 400))
        let era = (shifted - yearOfEra) / 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra - 719_468)
    }

    /// The day of the week, 0 (Sunday) to 6.
    var weekday: Int {
        // 1 January 1970 was a Thursday.
        Int(Self.floorModulo(daysSince1970 + 4, 7))
    }

    /// The date in the form `2026-11-20`.
    package var text: String {
        let sign = year < 0 ? "-" : ""
        return sign + DecimalText.padded(year.magnitude, digits: 4) + "-"
            + DecimalText.padded(month, digits: 2) + "-" + DecimalText.padded(day, digits: 2)
    }

    /// Splits a Unix time into its day and the milliseconds since the start of that day.
    package static func split(unixMilliseconds: Int64) -> (daysSince1970: Int64, millisecondsOfDay: Int64) {
        let milliseconds = floorModulo(unixMilliseconds, 86_400_000)
        // Subtracting first would overflow for `.min`.
        let days = unixMilliseconds / 86_400_000 - (unixMilliseconds % 86_400_000 < 0 ? 1 : 0)
        return (days, milliseconds)
    }

    private static func dayCount(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func floorModulo(_ value: Int64, _ modulus: Int64) -> Int64 {
        let remainder = value % modulus
        return remainder < 0 ? remainder + modulus : remainder
    }
}

/// Formatting of HTTP dates (RFC 9110, 5.6.7).
package enum HTTPDate {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Formats a time as `Sun, 06 Nov 1994 08:49:37 GMT`, clamped to the years 0...9999.
    package static func text(unixSeconds: Int64) -> String {
        let seconds = RFC3339.clamped(unixSeconds: unixSeconds)
        let date = CivilDate(
            daysSince1970: CivilDate.split(unixMilliseconds: seconds * 1_000).daysSince1970)
        let day = DecimalText.padded(date.day, digits: 2)
        let year = DecimalText.padded(date.year, digits: 4)
        let time = RFC3339.clockText(unixSeconds: seconds)
        return "\(weekdays[date.weekday]), \(day) \(months[date.month - 1]) \(year) \(time) GMT"
    }
}
