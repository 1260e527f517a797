import Foundation

/// The limits of a measured quantity, by the id of the benchmark.
struct LimitGate {
    private let limits: [String: Double]
    /// The quantity in a sentence, such as `allocations per item`.
    private let quantity: String
    /// The largest ratio of a measurement to its limit; times vary.
    private let tolerance: Double
    private let value: (Measurement) -> Double?

    /// Reads the limits of allocations from a JSON file: an object with a number for each id.
    init(ofAllocations file: URL) throws {
        try self.init(file, "allocations per item", tolerance: 1) { $0.allocations }
    }

    /// Reads the limits of the best time relative to the best one of the group's reference, which may vary by 5 %.
    init(ofRatios file: URL) throws {
        try self.init(file, "times the time of its reference", tolerance: 1.05) { $0.bestRatio }
    }

    private init(
        _ file: URL, _ quantity: String, tolerance: Double, _ value: @escaping (Measurement) -> Double?
    ) throws {
        limits = try JSONDecoder().decode([String: Double].self, from: Data(contentsOf: file))
        self.quantity = quantity
        self.tolerance = tolerance
        self.value = value
    }

    /// Returns a line for each exceeded limit, and for each limit of these groups whose benchmark did not run.
    func breaches(in measurements: [Measurement], groups: [String]) -> [String] {
        limits.sorted { $0.key < $1.key }.compactMap { id, limit in
            guard groups.contains(where: { id.hasPrefix("\($0).") }) else { return nil }
            guard let value = measurements.first(where: { $0.id == id }).flatMap(value) else {
                return "\(id): has a limit, but was not measured"
            }
            return value > limit * tolerance ? "\(id): \(value) \(quantity), limit \(limit)" : nil
        }
    }
}
