/// A daily time range, in minutes, in which a channel need not have tags; it spans midnight when `end` is before
/// `start`.
public struct QuietHours: Sendable, Hashable {
    /// The first quiet minute of the day, 0 to 1439.
    public let start: Int
    /// The first minute after the quiet hours, 0 to 1439.
    public let end: Int

    /// Parses text such as `02:00-05:30` or `23:00-01:00`; returns nil for invalid text or an empty range.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let start = Self.minute(parts[0], maximum: 1_439),
            let end = Self.minute(parts[1], maximum: 1_440), start != end % 1_440
        else { return nil }
        self.start = start
        self.end = end % 1_440
    }

    /// Returns whether a minute of the day is quiet.
    package func contains(minute: Int) -> Bool {
        start < end ? minute >= start && minute < end : minute >= start || minute < end
    }

    private static func minute(_ text: Substring, maximum: Int) -> Int? {
        let digits = Array(text.utf8)
        guard digits.count == 5, digits[2] == UInt8(ascii: ":") else { return nil }
        let numbers = [digits[0], digits[1], digits[3], digits[4]].compactMap { digit -> Int? in
            digit >= UInt8(ascii: "0") && digit <= UInt8(ascii: "9") ? Int(digit) - 48 : nil
        }
        guard numbers.count == 4 else { return nil }
        let hour = numbers[0] * 10 + numbers[1]
        let minute = numbers[2] * 10 + numbers[3]
        guard minute < 60, hour * 60 + minute <= maximum else { return nil }
        return hour * 60 + minute
    }
}
