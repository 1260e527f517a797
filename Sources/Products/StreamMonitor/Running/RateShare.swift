/// How many things of a kind may still happen in some time: so many a period, those of a period at once, and more in the
/// first one.
struct RateShare: Sendable {
    /// How many a period.
    let count: Int
    private let period: Duration
    private var available: Double
    private var last: Duration?
    private var firstPeriodEnd: Duration?

    /// - Parameter initialCount: how many may happen in the first period; `count` unless it is larger.
    init(_ count: Int, every period: Duration, initialCount: Int = 0) {
        self.count = count
        self.period = period
        available = Double(max(count, initialCount))
    }

    /// Takes as many of `wanted` as there are.
    ///
    /// - Parameter time: on a clock that only runs forward.
    /// - Returns: how many that is.
    mutating func take(_ wanted: Int, at time: Duration) -> Int {
        let elapsed = last.map { max(.zero, time - $0) } ?? .zero
        last = time
        let end = firstPeriodEnd ?? time + period
        firstPeriodEnd = end
        let most = time < end ? max(available, Double(count)) : Double(count)
        available = min(most, available + Double(count) * (elapsed / period))
        let taken = min(wanted, Int(available))
        available -= Double(taken)
        return taken
    }
}
