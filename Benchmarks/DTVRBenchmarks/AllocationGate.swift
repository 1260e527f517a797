import Foundation

/// The limits of allocations per item, by the id of the benchmark.
struct AllocationGate {
    private let limits: [String: Double]

    /// Reads the limits from a JSON file: an object with a number for each id.
    init(contentsOf file: URL) throws {
        limits = try JSONDecoder().decode([String: Double].self, from: Data(contentsOf: file))
    }

    /// Returns a line for each exceeded limit, and for each limit of these groups whose benchmark did not run.
    func breaches(in measurements: [Measurement], groups: [String]) -> [String] {
        limits.sorted { $0.key < $1.key }.compactMap { id, limit in
            guard groups.contains(where: { id.hasPrefix("\($0).") }) else { return nil }
            guard let allocations = measurements.first(where: { $0.id == id })?.allocations else {
                return "\(id): has a limit, but was not measured"
            }
            return allocations > limit ? "\(id): \(allocations) allocations per item, limit \(limit)" : nil
        }
    }
}
