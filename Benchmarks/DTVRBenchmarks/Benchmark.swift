/// A measurement: repeated passes over the same items.
struct Benchmark {
    /// The name in tables and thresholds, without that of the group, such as `private-frame`.
    let name: String
    /// The number of items in a pass.
    let itemCount: Int
    /// The number of bytes that a pass reads.
    let byteCount: Int
    /// Runs one pass; its result is used, so that the compiler cannot remove the work.
    let pass: () -> UInt64
}

/// An entry of a group's results.
enum Entry {
    /// A benchmark to run in this process.
    case measured(Benchmark)
    /// Results from elsewhere, with the nanoseconds per item of each sample, and the bytes per item.
    case reported(name: String, nanoseconds: [Double], byteCount: Int?)
    /// A note to print below the table.
    case noted(String)
    /// A benchmark that cannot run, and the reason.
    case skipped(name: String, reason: String)
}

/// The benchmarks of one part of the library.
struct BenchmarkGroup: Sendable {
    /// The name on the command line, such as `parse`.
    let name: String
    /// The name of the entry that the ratios of the others refer to.
    let reference: String
    /// Sets up the group and returns its entries.
    let entries: @Sendable () throws -> [Entry]

    /// All groups, in the order of the tables.
    static let all = [
        parse, scan, scanOfSmallPieces, StoreBenchmarks.group(of: 1, commits: 400),
        StoreBenchmarks.group(of: 50, commits: 100),
        StoreBenchmarks.group(of: 500, commits: 40), StoreBenchmarks.whole, upload,
        SessionBenchmarks.calls, certify,
    ]
}
