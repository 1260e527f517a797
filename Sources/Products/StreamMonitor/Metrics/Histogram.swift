/// A histogram with fixed bounds.
struct Histogram: Sendable, Hashable {
    /// The upper bounds in ascending order; a value above the last one is only counted in `count`.
    let bounds: [Double]
    /// The number of values in each bucket: at most its bound and above the previous one.
    private(set) var counts: [UInt64]
    /// The number of values.
    private(set) var count: UInt64 = 0
    /// The sum of the values.
    private(set) var sum = 0.0

    /// Creates an empty histogram.
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
