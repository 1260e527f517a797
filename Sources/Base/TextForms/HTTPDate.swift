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
        // The last part of `1994-11-06 08:49:37`.
        let time = RFC3339.tableText(unixSeconds: seconds).suffix(8)
        return "\(weekdays[date.weekday]), \(day) \(months[date.month - 1]) \(year) \(time) GMT"
    }
}
