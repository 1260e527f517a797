/// Dates as HTTP writes them (RFC 9110, 5.6.7).
package enum HTTPDate {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The time in the form `Sun, 06 Nov 1994 08:49:37 GMT`; as in RFC 3339, within the years 0...9999.
    package static func text(unixSeconds: Int64) -> String {
        // `1994-11-06 08:49:37`
        let text = RFC3339.tableText(unixSeconds: unixSeconds)
        let seconds = min(max(unixSeconds, RFC3339.earliest / 1_000), RFC3339.latest / 1_000)
        let day = CivilDate.split(unixMilliseconds: seconds * 1_000).daysSince1970
        let date = CivilDate(daysSince1970: day)
        let year = DecimalText.padded(date.year, digits: 4)
        return weekdays[date.weekday] + ", " + DecimalText.padded(date.day, digits: 2) + " "
            + months[date.month - 1] + " " + year + " " + text.suffix(8) + " GMT"
    }
}
