import Glibc

/// Times of the day where the machine is: `TZ`, or the system's time zone.
package enum LocalTime {
    /// The minute of the day, 0 to 1439, that a Unix time is in.
    package static func minuteOfDay(unixSeconds: Double) -> Int {
        guard var time = time_t(exactly: unixSeconds.rounded(.down)) else { return 0 }
        var parts = unsafe tm()
        // Both live through the call, which is safe on any thread; the name of the time zone is not followed.
        guard unsafe localtime_r(&time, &parts) != nil else { return 0 }
        return unsafe Int(parts.tm_hour) * 60 + Int(parts.tm_min)
    }
}
