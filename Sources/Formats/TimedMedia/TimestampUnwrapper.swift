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
