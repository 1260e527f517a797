import Glibc

/// Local times of day, in the time zone of `TZ` or the system.
package enum LocalTime {
    /// Returns the minute of the day, 0 to 1439, of a Unix time.
    package static func minuteOfDay(unixSeconds: Double) -> Int {
        guard var time = time_t(exactly: unixSeconds.rounded(.down)) else { return 0 }
        var parts = unsafe tm()
        // Both values outlive the call, which is thread-safe; the time zone name is not accessed.
        guard unsafe localtime_r(&time, &parts) != nil else { return 0 }
        return unsafe Int(parts.tm_hour) * 60 + Int(parts.tm_min)
    }
}
