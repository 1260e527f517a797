/// How one live channel is judged, beside the limits of its checks.
package struct ChannelHealthSettings: Sendable {
    /// The channel's id, which its alerts name.
    package var channel: String
    /// Whether tags are expected in advertisement breaks too.
    package var expectsTagsInBreaks = false
    /// How long a break may be, in seconds; after that silence counts again.
    package var maximumBreakLength = 600.0
    /// The time of the day in which no tags are expected; nil for none.
    package var quietHours: QuietHours?
    /// Which minute of the day, 0 to 1439, a Unix time is in the channel's time zone; UTC unless set.
    package var minuteOfDay: @Sendable (_ wallTime: Double) -> Int = ChannelHealthSettings.minuteOfDayInUTC
    /// How many seconds after a finding the channel counts as degraded.
    package var window = 60.0
    /// Within how many seconds a second finding of a check raises an alert.
    package var repeatInterval = 60.0
    /// How many seconds must pass without a finding before an alert is cleared.
    package var clearDelay = 10.0
    /// How many DATA tags must come without a finding before an alert is cleared.
    package var clearTagCount = 2

    /// The settings of a channel that has none of its own.
    package init(channel: String) { self.channel = channel }

    private static func minuteOfDayInUTC(_ wallTime: Double) -> Int {
        guard let minutes = Int(exactly: (wallTime / 60).rounded(.down)) else { return 0 }
        return (minutes % 1_440 + 1_440) % 1_440
    }

    /// Whether a Unix time lies in the quiet hours.
    func isQuiet(at wallTime: Double) -> Bool {
        quietHours?.contains(minute: minuteOfDay(wallTime)) ?? false
    }
}
