/// A rate limit: at most `count` items per period, in a burst if necessary, with a higher limit for the first period.
package struct RateShare: Sendable {
    /// The number of items per period.
    package let count: Int
    private let period: Duration
    private var available: Double
    private var last: Duration?
    private var firstPeriodEnd: Duration?

    /// Creates a rate limit.
    ///
    /// - Parameter initialCount: The number of items in the first period, if it exceeds `count`.
    package init(_ count: Int, every period: Duration, initialCount: Int = 0) {
        self.count = count
        self.period = period
        available = Double(max(count, initialCount))
    }

    /// Claims as many of the `wanted` items as the limit allows.
    ///
    /// - Parameter time: The time by a monotonic clock.
    /// - Returns: The number of items claimed.
    package mutating func claim(_ wanted: Int, at time: Duration) -> Int {
        let elapsed = last.map { max(.zero, time - $0) } ?? .zero
        last = time
        let end = firstPeriodEnd ?? time + period
        firstPeriodEnd = end
        let most = time < end ? max(available, Double(count)) : Double(count)
        available = min(most, available + Double(count) * (elapsed / period))
        let claimed = Int(min(Double(wanted), available))
        available -= Double(claimed)
        return claimed
    }
}
