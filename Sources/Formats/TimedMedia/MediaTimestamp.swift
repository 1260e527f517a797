/// A point on a media timeline: a count of ticks and how many of them make a second.
///
/// Transport streams and packed audio count in 90 kHz and keep 33 bits of it
/// (ISO/IEC 13818-1, 2.4.3.7); an event message box brings a timescale of its own
/// (ISO/IEC 23009-1, 5.10.3.3). `ticks` is the value as the container has it, never unwrapped:
/// `TimestampUnwrapper` is the only place that does that.
public struct MediaTimestamp: Sendable, Hashable {
    /// The ticks a second of a PTS.
    package static let transportTimescale: UInt32 = 90_000

    /// One more than the largest PTS: 33 bits.
    package static let transportPeriod: UInt64 = 1 << 33

    /// The count of ticks, as the container states it.
    public let ticks: UInt64

    /// Ticks a second; never zero.
    public let timescale: UInt32

    /// A timestamp in a timescale of its own; nil where the timescale is zero, which no time can be told in.
    public init?(ticks: UInt64, timescale: UInt32) {
        guard timescale > 0 else { return nil }
        self.ticks = ticks
        self.timescale = timescale
    }

    /// A PTS; bits above the lowest 33 are left out.
    public init(pts: UInt64) {
        ticks = pts & (Self.transportPeriod - 1)
        timescale = Self.transportTimescale
    }

    /// Whether the ticks count in 90 kHz and so may be a PTS.
    public var isTransport: Bool { timescale == Self.transportTimescale }

    /// The ticks in seconds, without unwrapping.
    public var seconds: Double { Double(ticks) / Double(timescale) }
}
