/// The settings of one live channel that apply in addition to the limits of its checks.
package struct ChannelHealthSettings: Sendable {
    /// Whether tags are also expected in advertisement breaks.
    package var expectsTagsInBreaks = false
    /// The longest break without tags that is accepted, in seconds; after that, silence counts again.
    package var maximumBreakLength = 600.0
    /// The time of day in which no tags are expected; nil for none.
    package var quietHours: QuietHours?
    /// Converts a Unix time to the minute of the day, 0 to 1439, in the channel's time zone; UTC by default.
    package var minuteOfDay: @Sendable (_ wallTime: Double) -> Int = ChannelHealthSettings.minuteOfDayInUTC
    /// The number of seconds after a finding during which the channel counts as degraded.
    package var window = 60.0

    /// Creates the default settings of a channel.
    package init() {}

    private static func minuteOfDayInUTC(_ wallTime: Double) -> Int {
        guard let minutes = Int(exactly: (wallTime / 60).rounded(.down)) else { return 0 }
        return (minutes % 1_440 + 1_440) % 1_440
    }

    /// Whether a Unix time is within the quiet hours.
    func isQuiet(at wallTime: Double) -> Bool {
        quietHours?.contains(minute: minuteOfDay(wallTime)) ?? false
    }
}
