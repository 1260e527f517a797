import Synchronization

/// The durations of fetches, for all channels together.
final class FetchTimes: Sendable {
    /// The kind of resource that is fetched.
    enum Kind: String, Sendable, CaseIterable {
        case playlist
        case segment
    }

    private static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private let histograms = Mutex<[Kind: Histogram]>([:])

    /// Counts a fetch, successful or not.
    func observe(_ kind: Kind, _ duration: Duration) {
        histograms.withLock {
            $0[kind, default: Histogram(bounds: Self.bounds)].observe(duration / .seconds(1))
        }
    }

    /// Returns the durations for a kind, in seconds.
    func histogram(of kind: Kind) -> Histogram {
        histograms.withLock { $0[kind] ?? Histogram(bounds: Self.bounds) }
    }
}

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
