/// A reading of all clocks of a machine at one moment, used to measure times that outlast a process.
package struct ClockReading: Sendable, Hashable, Codable {
    /// The wall clock, in Unix milliseconds.
    package let wall: Int64
    /// The time since boot, in milliseconds.
    package let boot: Int64
    /// A text that is different for every boot.
    package let bootID: String
    /// Whether the wall clock is synchronized.
    package let isTrusted: Bool

    /// Creates a reading; times are in milliseconds.
    package init(wall: Int64, boot: Int64, bootID: String, isTrusted: Bool) {
        self.wall = wall
        self.boot = boot
        self.bootID = bootID
        self.isTrusted = isTrusted
    }

    /// Returns the current Unix time in seconds according to a clock that was correct at an earlier reading and was not
    /// set since.
    package func unixSeconds(steadySince earlier: ClockReading) -> Double {
        Double(earlier.wall) / 1_000 + Double(milliseconds(since: earlier)) / 1_000
    }

    /// Returns a lower bound on the milliseconds since an earlier reading; never negative.
    ///
    /// Within one boot the boot clock decides, whatever the wall clock did. Across boots the wall clock decides if it
    /// was trusted both times. Otherwise the result is the time since the current boot.
    package func milliseconds(since earlier: ClockReading) -> Int64 {
        if bootID == earlier.bootID { return max(0, Self.difference(boot, earlier.boot)) }
        guard isTrusted, earlier.isTrusted else { return max(0, boot) }
        return max(0, boot, Self.difference(wall, earlier.wall))
    }

    /// Returns the saturated difference, because both numbers may come from a damaged file.
    private static func difference(_ later: Int64, _ earlier: Int64) -> Int64 {
        let (difference, isTooLarge) = later.subtractingReportingOverflow(earlier)
        return isTooLarge ? (later < 0 ? .min : .max) : difference
    }
}

extension HostClock {
    /// The current reading of the clocks.
    package var reading: ClockReading {
        ClockReading(
            wall: unixMilliseconds, boot: sinceBoot.milliseconds, bootID: bootID,
            isTrusted: isSynchronized == true)
    }
}

extension Duration {
    /// The duration in whole milliseconds, saturated to the range of `Int64`.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000)
        let (sum, isAbove) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        if isTooLarge || isAbove { return seconds < 0 ? .min : .max }
        return sum
    }
}
