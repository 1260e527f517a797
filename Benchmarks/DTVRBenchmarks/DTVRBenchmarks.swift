import Foundation

/// Runs benchmarks, prints a table of results, and fails if one exceeds its limit of allocations.
@main
struct DTVRBenchmarks {
    static let usage = """
        usage: dtvr-benchmarks [--samples N] [--json FILE] [--allocations FILE] [GROUP...]
          --samples N         number of 20 ms samples per benchmark; default: 15
          --json FILE         also write the results to FILE
          --allocations FILE  limits of allocations; exit status 1 if one is exceeded
        groups: \(BenchmarkGroup.all.map(\.name).joined(separator: " "))
        """

    static func main() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.count == 2, arguments[0] == UploadData.fillOption {
            return try UploadData.fill(arguments[1])
        }
        func value(of option: String) -> String? {
            guard let index = arguments.firstIndex(of: option) else { return nil }
            guard index + 1 < arguments.count else { fail(usage) }
            defer { arguments.removeSubrange(index...index + 1) }
            return arguments[index + 1]
        }
        let samples = value(of: "--samples").map { Int($0) ?? 0 } ?? 15
        let json = value(of: "--json")
        let limits = value(of: "--allocations")
        let groups = BenchmarkGroup.all.filter { arguments.isEmpty || arguments.contains($0.name) }
        guard samples > 0, arguments.allSatisfy({ name in groups.contains { $0.name == name } }) else {
            fail(usage)
        }

        var report = Report()
        var sink: UInt64 = 0
        var hasMeasured = false
        for group in groups {
            var results: [Measurement] = []
            for entry in try group.entries() {
                switch entry {
                case .measured(let benchmark):
                    hasMeasured = true
                    results.append(Measurement(benchmark, group: group.name, samples: samples, sink: &sink))
                case .reported(let name, let nanoseconds, let byteCount):
                    results.append(
                        Measurement(
                            reported: name, nanoseconds: nanoseconds, byteCount: byteCount, group: group.name)
                    )
                case .noted(let note):
                    report.notes.append("\(group.name): \(note)")
                case .skipped(let name, let reason):
                    report.skipped["\(group.name).\(name)"] = reason
                }
            }
            let reference = results.first { $0.name == group.reference }?.median
            for index in results.indices {
                results[index].ratio = results[index].median / (reference ?? results[index].median)
            }
            report.measurements += results
        }
        print(report.table)
        // Uses the sum of all passes, so that the compiler cannot remove the work.
        if hasMeasured, sink == 0 { print("the passes read no data") }
        if let json { try report.write(to: URL(fileURLWithPath: json)) }
        guard let limits else { return }
        let gate = try AllocationGate(contentsOf: URL(fileURLWithPath: limits))
        let breaches = gate.breaches(in: report.measurements, groups: groups.map(\.name))
        if !breaches.isEmpty { fail(breaches.joined(separator: "\n"), status: 1) }
    }

    private static func fail(_ message: String, status: Int32 = 2) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(status)
    }
}
