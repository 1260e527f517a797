import CMallocCount

/// The result of one entry.
struct Measurement: Codable {
    let group: String
    let name: String
    /// The median, in nanoseconds per item.
    let median: Double
    /// The minimum, in nanoseconds per item.
    let minimum: Double
    /// Gigabytes per second at the median; nil if the entry has no byte count.
    let gigabytesPerSecond: Double?
    /// Calls of malloc per item; nil for an entry measured elsewhere.
    let allocations: Double?
    /// The median relative to that of the group's reference.
    var ratio: Double = 1

    var id: String { "\(group).\(name)" }
    var itemsPerSecond: Double { 1e9 / median }

    /// Measures a benchmark, with enough passes to fill each sample.
    init(_ benchmark: Benchmark, group: String, samples: Int, sink: inout UInt64) {
        let clock = ContinuousClock()
        let sampleLength = Duration.milliseconds(20)
        // Doubles the passes until they fill a sample, which also warms the caches.
        var passes = 1
        while true {
            let length = clock.measure { for _ in 0..<passes { sink &+= benchmark.pass() } }
            if length >= sampleLength || passes >= 1 << 20 { break }
            passes *= 2
        }
        let before = dtvr_malloc_count()
        sink &+= benchmark.pass()
        allocations = Double(dtvr_malloc_count() - before) / Double(benchmark.itemCount)
        let items = Double(passes * benchmark.itemCount)
        let nanoseconds = (0..<samples).map { _ in
            let length = clock.measure { for _ in 0..<passes { sink &+= benchmark.pass() } }
            return Double(length.components.attoseconds) / 1e9 / items
                + Double(length.components.seconds) * 1e9 / items
        }
        self.group = group
        name = benchmark.name
        (median, minimum) = Self.summary(of: nanoseconds)
        gigabytesPerSecond = Double(benchmark.byteCount) / Double(benchmark.itemCount) / median
    }

    /// Creates the result of an entry measured elsewhere.
    init(reported name: String, nanoseconds: [Double], byteCount: Int?, group: String) {
        self.group = group
        self.name = name
        let (median, minimum) = Self.summary(of: nanoseconds)
        self.median = median
        self.minimum = minimum
        gigabytesPerSecond = byteCount.map { Double($0) / median }
        allocations = nil
    }

    private static func summary(of values: [Double]) -> (median: Double, minimum: Double) {
        let sorted = values.sorted()
        return (sorted[sorted.count / 2], sorted[0])
    }
}
