package import ID3v2
package import NielsenID3

/// The settings of one live channel that apply in addition to the limits of its checks.
package struct ChannelHealthSettings: Sendable {
    /// Whether tags are also expected in advertisement breaks.
    package var expectsTagsInBreaks = false
    /// The longest break without tags that is accepted, in seconds; after that, silence counts again.
    package var maximumBreakLength = 600.0
    /// Whether the channel has a backup.
    package var hasBackup = false
    /// The time of day in which no tags are expected; nil for none.
    package var quietHours: QuietHours?
    /// The muted checks.
    package var muted = MutedChecks()
    /// Converts a time to the minute of the day, 0 to 1439, in the channel's time zone; UTC by default.
    package var minuteOfDay: @Sendable (WallTime) -> Int = ChannelHealthSettings.minuteOfDayInUTC
    /// The number of seconds after a finding during which the channel counts as degraded.
    package var window = 60.0

    /// Creates the default settings of a channel.
    package init() {}

    private static func minuteOfDayInUTC(_ time: WallTime) -> Int {
        guard let minutes = Int(exactly: (time.unixSeconds / 60).rounded(.down)) else { return 0 }
        return (minutes % 1_440 + 1_440) % 1_440
    }

    /// Returns whether a time is within the quiet hours.
    func isQuiet(at time: WallTime) -> Bool {
        quietHours?.contains(minute: minuteOfDay(time)) ?? false
    }
}

/// The checks of a live channel that an operator has muted.
package struct MutedChecks: Sendable, Hashable {
    /// The checks that are not run.
    package var ignored: Set<CheckID> = []
    /// The checks whose findings are shown, without an alert and without degrading the channel.
    package var accepted: Set<CheckID> = []

    /// Creates a value without muted checks.
    package init() {}

    /// The checks that raise no alert.
    var all: Set<CheckID> { ignored.union(accepted) }

    /// Returns whether a check is ignored or accepted.
    func contains(_ check: CheckID) -> Bool { ignored.contains(check) || accepted.contains(check) }
}

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
