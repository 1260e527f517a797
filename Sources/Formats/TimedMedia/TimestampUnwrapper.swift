/// Lays 33-bit timestamps on one line that does not wrap.
///
/// A PTS starts again at zero after 26.5 hours (ISO/IEC 13818-1, 2.4.3.7). The unwrapper puts each value
/// at the place on the line that is nearest to the one before, so that a step back across the wrap comes
/// out as a small step back, and a step forward as a small step forward. Before the first value the line
/// begins at that value. It is a value: keep one a line of time, and start a new one at a discontinuity.
package struct TimestampUnwrapper: Sendable, Hashable {
    private var last: Int64?

    /// An unwrapper that has seen nothing.
    package init() {}

    /// The place of a PTS on the line, in ticks of 90 kHz; may be negative when values run back past the first.
    package mutating func unwrap(pts: UInt64) -> Int64 {
        let period = Int64(MediaTimestamp.transportPeriod)
        let value = Int64(pts & (MediaTimestamp.transportPeriod - 1))
        guard let last else {
            self.last = value
            return value
        }
        // The remainder of the distance, moved into -period/2 ..< period/2.
        let distance = (value &- last) & (period - 1)
        let place = last &+ (distance < period / 2 ? distance : distance - period)
        self.last = place
        return place
    }
}
