/// How often values fell between fixed bounds.
struct Histogram: Sendable, Hashable {
    /// The upper bounds, rising; a value above the last is only in `count`.
    let bounds: [Double]
    /// How many values were at most each bound and above the one before.
    private(set) var counts: [UInt64]
    /// How many values there were.
    private(set) var count: UInt64 = 0
    /// What they add up to.
    private(set) var sum = 0.0

    /// An empty histogram.
    init(bounds: [Double]) {
        self.bounds = bounds
        counts = [UInt64](repeating: 0, count: bounds.count)
    }

    /// Counts a value.
    mutating func observe(_ value: Double) {
        count += 1
        sum += value
        if let index = bounds.firstIndex(where: { value <= $0 }) { counts[index] += 1 }
    }
}
