/// One thing that is measured: a pass over the same items, again and again.
struct Benchmark {
    /// The name in tables and thresholds, below that of its group: `private-frame`.
    let name: String
    /// How many items a pass takes.
    let itemCount: Int
    /// How many bytes a pass reads.
    let byteCount: Int
    /// One pass; what it returns is used, so that no compiler leaves the work out.
    let pass: () -> UInt64
}

/// What a group has for the table.
enum Entry {
    /// Measured here.
    case measured(Benchmark)
    /// Measured elsewhere, in a process of its own: nanoseconds an item, one a sample, and the bytes of an item.
    case reported(name: String, nanoseconds: [Double], byteCount: Int?)
    /// Something to say below the table.
    case noted(String)
    /// Not measured, and why.
    case skipped(name: String, reason: String)
}

/// Benchmarks of one part of the library, in a file of their own.
struct BenchmarkGroup: Sendable {
    /// The name by which the group is chosen: `parse`.
    let name: String
    /// Which entry the ratios of the others are counted from.
    let reference: String
    /// Sets up, and lists what there is to measure.
    let entries: @Sendable () throws -> [Entry]

    /// Every group, in the order of the tables.
    static let all = [
        parse, scan, scanOfSmallPieces, StoreBenchmarks.group(of: 1, commits: 400),
        StoreBenchmarks.group(of: 50, commits: 100),
        StoreBenchmarks.group(of: 500, commits: 40), StoreBenchmarks.whole, upload,
        SessionBenchmarks.calls,
    ]
}
