import Testing

/// Metrics read by a strict parser of the text format: every line must be a comment in its place, or a sample.
struct MetricSamples {
    /// The samples, by name and labels as written in the text.
    private(set) var values: [String: Double] = [:]
    /// The metrics, in their order, with their types.
    private(set) var types: [(name: String, type: String)] = []

    /// Parses a text; an invalid line is an issue of the test.
    init(_ bytes: [UInt8]) throws {
        let text = try #require(String(validating: bytes, as: UTF8.self))
        #expect(text.last == "\n")
        var announced: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if let match = line.wholeMatch(of: #/# HELP ([a-z_]+) \S.*/#) {
                announced = String(match.1)
            } else if let match = line.wholeMatch(of: #/# TYPE ([a-z_]+) (counter|gauge|histogram)/#) {
                #expect(announced == String(match.1), "\(line)")
                #expect(!types.contains { $0.name == match.1 }, "\(line)")
                types.append((String(match.1), String(match.2)))
            } else {
                try addSample(String(line))
            }
        }
        checkHistograms()
    }

    private mutating func addSample(_ line: String) throws {
        let pattern = #/([a-z_]+)(?:\{((?:[a-z]+="(?:[^"\\]|\\["\\n])*",?)+)\})? (\S+)/#
        let match = try #require(line.wholeMatch(of: pattern), "\(line)")
        let metric = try #require(types.last, "\(line)")
        let suffix = match.1.dropFirst(metric.name.count)
        #expect(match.1.hasPrefix(metric.name), "\(line)")
        #expect(
            metric.type == "histogram" ? ["_bucket", "_sum", "_count"].contains(suffix) : suffix.isEmpty,
            "\(line)")
        #expect(match.2?.last != ",", "\(line)")
        let value = try #require(Double(match.3), "\(line)")
        if metric.type == "counter" { #expect(metric.name.hasSuffix("_total") && value >= 0, "\(line)") }
        let key = String(line.dropLast(match.3.count + 1))
        #expect(values.updateValue(value, forKey: key) == nil, "twice: \(line)")
    }

    /// Checks that each histogram has a last bucket with all values.
    private func checkHistograms() {
        for metric in types where metric.type == "histogram" {
            for (key, value) in values where key.hasPrefix(metric.name + "_count") {
                let labels = key.dropFirst(metric.name.count + "_count".count).dropFirst().dropLast()
                let all = (labels.isEmpty ? "" : labels + ",") + "le=\"+Inf\""
                #expect(values["\(metric.name)_bucket{\(all)}"] == value, "\(key)")
            }
        }
    }

    /// The value of a sample; nil if it does not exist.
    subscript(sample: String) -> Double? { values[sample] }
}
