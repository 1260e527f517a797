import Foundation

/// The most allocations an item that each benchmark may make, by its id.
struct AllocationGate {
    private let limits: [String: Double]

    /// The limits in a file of JSON: an object from ids to numbers.
    init(contentsOf file: URL) throws {
        limits = try JSONDecoder().decode([String: Double].self, from: Data(contentsOf: file))
    }

    /// A line for every limit that is passed, and for every one whose benchmark of these groups did not run.
    func breaches(in measurements: [Measurement], groups: [String]) -> [String] {
        limits.sorted { $0.key < $1.key }.compactMap { id, limit in
            guard groups.contains(where: { id.hasPrefix("\($0).") }) else { return nil }
            guard let allocations = measurements.first(where: { $0.id == id })?.allocations else {
                return "\(id): has a limit and was not measured"
            }
            return allocations > limit ? "\(id): \(allocations) allocations an item, limit \(limit)" : nil
        }
    }
}
