import TextForms

/// A Unix time formatted for people, in UTC.
struct UTCTime: CustomStringConvertible {
    /// Seconds since 1970-01-01 00:00:00 UTC, without leap seconds.
    let unixSeconds: Int64

    init(_ unixSeconds: UInt32) { self.unixSeconds = Int64(unixSeconds) }

    init(unixSeconds: Int64) { self.unixSeconds = unixSeconds }

    /// The time of day, such as `12:00:30 UTC`.
    var description: String { "\(RFC3339.tableText(unixSeconds: unixSeconds).suffix(8)) UTC" }

    /// The date and time, such as `2026-11-20 12:00:30 UTC`.
    var withDate: String { "\(RFC3339.tableText(unixSeconds: unixSeconds)) UTC" }
}
