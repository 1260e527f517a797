/// What the clocks of a machine say at one moment: what an age or a wait that outlives a process is told by.
package struct ClockReading: Sendable, Hashable, Codable {
    /// The wall clock, in milliseconds of Unix time.
    package let wall: Int64
    /// How long the machine has been on, in milliseconds.
    package let boot: Int64
    /// A text that is different after every start of the machine.
    package let bootID: String
    /// Whether somebody vouches for the wall clock.
    package let isTrusted: Bool

    /// What the clocks say; times in milliseconds.
    package init(wall: Int64, boot: Int64, bootID: String, isTrusted: Bool) {
        self.wall = wall
        self.boot = boot
        self.bootID = bootID
        self.isTrusted = isTrusted
    }

    /// What an earlier release wrote down of a moment: the wall clock alone, which it believed.
    package init(ofEarlierRelease wall: Int64) {
        self.init(wall: wall, boot: 0, bootID: "earlier release", isTrusted: true)
    }

    /// What a wall clock would say, in seconds of Unix time, that agreed with an earlier reading and that nobody has set since.
    package func unixSeconds(steadySince earlier: ClockReading) -> Double {
        Double(earlier.wall) / 1_000 + Double(milliseconds(since: earlier)) / 1_000
    }

    /// How many milliseconds have passed since an earlier reading, at the least; 0 or more.
    ///
    /// Within one boot that is what the boot clock says, whatever the wall clock did. Over boots it is what the wall clock says
    /// where somebody vouched for it both times; where not, all that is known is that this boot has passed.
    package func milliseconds(since earlier: ClockReading) -> Int64 {
        if bootID == earlier.bootID { return max(0, Self.difference(boot, earlier.boot)) }
        guard isTrusted, earlier.isTrusted else { return max(0, boot) }
        return max(0, boot, Self.difference(wall, earlier.wall))
    }

    /// Both numbers may come from a damaged file.
    private static func difference(_ later: Int64, _ earlier: Int64) -> Int64 {
        let (difference, isTooLarge) = later.subtractingReportingOverflow(earlier)
        return isTooLarge ? (later < 0 ? .min : .max) : difference
    }
}

extension HostClock {
    /// What the clocks say now.
    package var reading: ClockReading {
        ClockReading(
            wall: unixMilliseconds, boot: sinceBoot.milliseconds, bootID: bootID, isTrusted: isSynchronized)
    }
}

extension Duration {
    /// Whole milliseconds; what is too long for a number is the longest one.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000)
        let (sum, isAbove) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        if isTooLarge || isAbove { return seconds < 0 ? .min : .max }
        return sum
    }
}
