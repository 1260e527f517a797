/// A point on a media timeline: a number of ticks and a timescale.
///
/// Transport streams and packed audio count in 90 kHz and store 33 bits (ISO/IEC 13818-1, 2.4.3.7). An event message
/// box has its own timescale (ISO/IEC 23009-1, 5.10.3.3). `ticks` is the value as written in the container, not
/// unwrapped.
public struct MediaTimestamp: Sendable, Hashable {
    /// The ticks per second of a PTS.
    package static let transportTimescale: UInt32 = 90_000

    /// The modulus of a PTS, which has 33 bits.
    package static let transportPeriod: UInt64 = 1 << 33

    /// The number of ticks, as written in the container.
    public let ticks: UInt64

    /// Ticks per second; never zero.
    public let timescale: UInt32

    /// Creates a timestamp; returns nil if the timescale is zero.
    public init?(ticks: UInt64, timescale: UInt32) {
        guard timescale > 0 else { return nil }
        self.ticks = ticks
        self.timescale = timescale
    }

    /// Creates a timestamp from a PTS and ignores bits above the lowest 33.
    public init(pts: UInt64) {
        ticks = pts & (Self.transportPeriod - 1)
        timescale = Self.transportTimescale
    }

    /// Whether the timescale is 90 kHz, so that the timestamp may be a PTS.
    public var isTransport: Bool { timescale == Self.transportTimescale }

    /// The ticks in seconds, without unwrapping.
    public var seconds: Double { Double(ticks) / Double(timescale) }
}

/// A mapping of 33-bit timestamps to a continuous timeline without wraparound.
///
/// A PTS wraps to zero after 26.5 hours (ISO/IEC 13818-1, 2.4.3.7). The unwrapper maps each value to the position
/// nearest to the previous one, so a small step across the wrap remains a small step in either direction. The first
/// value is mapped to itself. Use one unwrapper per timeline, and a new one after a discontinuity.
package struct TimestampUnwrapper: Sendable, Hashable {
    private var last: Int64?

    /// Creates an unwrapper without a previous value.
    package init() {}

    /// Returns the position of a PTS on the timeline, in ticks of 90 kHz.
    ///
    /// The result is negative if values run back past zero.
    package mutating func unwrap(pts: UInt64) -> Int64 {
        let period = Int64(MediaTimestamp.transportPeriod)
        let value = Int64(pts & (MediaTimestamp.transportPeriod - 1))
        guard let last else {
            self.last = value
            return value
        }
        // The distance modulo the period, mapped to -period/2 ..< period/2.
        let distance = (value &- last) & (period - 1)
        let place = last &+ (distance < period / 2 ? distance : distance - period)
        self.last = place
        return place
    }
}

extension MediaTimestamp {
    /// Returns the seconds from this time to another one of the same stream, negative if that is earlier.
    ///
    /// - Parameter wraps: Whether both times are 33-bit PTS values; the shorter distance around the wrap is then used.
    package func distance(to other: MediaTimestamp, wraps: Bool) -> Double {
        guard wraps else { return other.seconds - seconds }
        var line = TimestampUnwrapper()
        let start = line.unwrap(pts: ticks)
        return Double(line.unwrap(pts: other.ticks) - start) / Double(MediaTimestamp.transportTimescale)
    }
}
