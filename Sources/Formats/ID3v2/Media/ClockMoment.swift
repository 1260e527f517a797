/// An instant of a steady clock, which starts at Unix time and then advances by a monotonic clock.
///
/// Windows, hold times and excuses are measured with it, so that setting the wall clock does not change them.
package struct SteadyTime: Sendable, Hashable, Comparable {
    /// The seconds of the steady clock.
    package let seconds: Double

    /// Creates an instant; `seconds` is a reading of the steady clock.
    package init(seconds: Double) { self.seconds = seconds }

    /// Whether the reading is neither infinite nor NaN.
    package var isFinite: Bool { seconds.isFinite }

    /// Returns whether an instant is before another.
    package static func < (earlier: SteadyTime, later: SteadyTime) -> Bool { earlier.seconds < later.seconds }

    /// Returns the seconds from the right instant to the left one.
    package static func - (later: SteadyTime, earlier: SteadyTime) -> Double {
        later.seconds - earlier.seconds
    }

    /// Returns the instant `seconds` later.
    package static func + (time: SteadyTime, seconds: Double) -> SteadyTime {
        SteadyTime(seconds: time.seconds + seconds)
    }

    /// Returns the instant `seconds` earlier.
    package static func - (time: SteadyTime, seconds: Double) -> SteadyTime {
        SteadyTime(seconds: time.seconds - seconds)
    }
}

/// The form in which an instant is stored across a restart: the seconds as a number.
extension SteadyTime: Codable {
    /// Decodes the seconds.
    package init(from decoder: any Decoder) throws {
        seconds = try decoder.singleValueContainer().decode(Double.self)
    }

    /// Encodes the seconds.
    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        try value.encode(seconds)
    }
}

/// A time by the wall clock, for output and for comparison with dates in the stream.
package struct WallTime: Sendable, Hashable, Comparable {
    /// The Unix time in seconds.
    package let unixSeconds: Double

    /// Creates a time from Unix seconds.
    package init(unixSeconds: Double) { self.unixSeconds = unixSeconds }

    /// Creates a time from Unix milliseconds.
    package init(unixMilliseconds: Int64) { unixSeconds = Double(unixMilliseconds) / 1_000 }

    /// The Unix time in milliseconds, rounded; 0 if a damaged file states an impossible time.
    package var unixMilliseconds: Int64 { Int64(exactly: (unixSeconds * 1_000).rounded()) ?? 0 }

    /// Returns whether a time is before another.
    package static func < (earlier: WallTime, later: WallTime) -> Bool {
        earlier.unixSeconds < later.unixSeconds
    }

    /// Returns the time `seconds` later.
    package static func + (time: WallTime, seconds: Double) -> WallTime {
        WallTime(unixSeconds: time.unixSeconds + seconds)
    }

    /// Returns the time `seconds` earlier.
    package static func - (time: WallTime, seconds: Double) -> WallTime {
        WallTime(unixSeconds: time.unixSeconds - seconds)
    }
}

/// A moment by the steady clock and by the wall clock.
package struct ClockMoment: Sendable, Hashable {
    /// The time by the steady clock.
    package var steady: SteadyTime
    /// The seconds to add to the steady time to get the wall time; 0 until the wall clock is set.
    package var wallOffset: Double

    /// Creates a moment from the steady time and its distance to the wall time, in seconds.
    package init(steady: SteadyTime, wallOffset: Double = 0) {
        self.steady = steady
        self.wallOffset = wallOffset
    }

    /// Creates a moment from readings of both clocks.
    package init(steady: SteadyTime, wall: WallTime) {
        self.init(steady: steady, wallOffset: wall.unixSeconds - steady.seconds)
    }

    /// The time by the wall clock.
    package var wall: WallTime { WallTime(unixSeconds: steady.seconds + wallOffset) }
}
