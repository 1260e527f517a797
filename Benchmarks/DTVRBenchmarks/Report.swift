import Foundation

/// The results of a run, as a table and as JSON.
struct Report: Codable {
    let date: String
    let machine: String
    let processorCount: Int
    var measurements: [Measurement] = []
    var notes: [String] = []
    var skipped: [String: String] = [:]

    init() {
        date = Date.now.ISO8601Format()
        let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n")
        let model = lines?.first { $0.hasPrefix("model name") }?.split(separator: ":").last
        machine = model.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown"
        processorCount = ProcessInfo.processInfo.processorCount
    }

    /// The results as a table with aligned columns; times are in nanoseconds per item.
    var table: String {
        var lines = ["\(machine), \(processorCount) processors, \(date)"]
        let header = ["benchmark", "median ns", "min ns", "million/s", "GB/s", "mallocs", "ratio"]
        let rows = measurements.map { result in
            [
                result.id, Self.number(result.median), Self.number(result.minimum),
                Self.number(result.itemsPerSecond / 1e6), result.gigabytesPerSecond.map(Self.number) ?? "-",
                result.allocations.map { Self.number($0) } ?? "-", Self.number(result.ratio),
            ]
        }
        let widths = header.indices.map { column in
            ([header] + rows).map { $0[column].count }.max() ?? 0
        }
        for row in [header] + rows {
            let cells = row.enumerated().map { column, cell in
                let blanks = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + blanks : blanks + cell
            }
            lines.append(cells.joined(separator: "  "))
        }
        lines += notes
        lines += skipped.sorted { $0.key < $1.key }.map { "\($0.key): skipped, \($0.value)" }
        return lines.joined(separator: "\n")
    }

    func write(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: file)
    }

    private static func number(_ value: Double) -> String {
        String(format: value < 10 ? "%.2f" : value < 1000 ? "%.1f" : "%.0f", value)
    }
}
