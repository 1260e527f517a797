/// A Unix time as people read it, in UTC.
struct UTCTime: CustomStringConvertible {
    /// Seconds since 1970-01-01 00:00:00 UTC, leap seconds left out.
    let unixSeconds: Int64

    init(_ unixSeconds: UInt32) { self.unixSeconds = Int64(unixSeconds) }

    init(unixSeconds: Int64) { self.unixSeconds = unixSeconds }

    /// As in `12:00:30 UTC`.
    var description: String {
        let second = unixSeconds - 86_400 * day
        return "\(Self.two(second / 3_600)):\(Self.two(second / 60 % 60)):\(Self.two(second % 60)) UTC"
    }

    /// As in `2026-11-20 12:00:30 UTC`.
    var withDate: String {
        // Days are counted in eras of 400 years that begin on 1 March, so that leap days come last.
        let days = day + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - 146_097 * era
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let date = dayOfYear - (153 * shifted + 2) / 5 + 1
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + 400 * era + (month <= 2 ? 1 : 0)
        return "\(year)-\(Self.two(month))-\(Self.two(date)) \(self)"
    }

    private var day: Int64 { unixSeconds >= 0 ? unixSeconds / 86_400 : (unixSeconds - 86_399) / 86_400 }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
