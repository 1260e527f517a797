/// Writes metrics in the Prometheus text format, version 0.0.4.
///
/// All samples of a metric follow its `begin`.
package struct PrometheusText {
    /// The media type of the format.
    package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// The type of a metric.
    package enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    /// The text so far.
    package private(set) var bytes: [UInt8] = []
    private var name = ""

    /// Creates an empty text with a reserved capacity in bytes.
    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Starts a metric.
    package mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        append("# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
    }

    /// Writes an integer sample of the metric.
    package mutating func sample(_ labels: Labels, _ value: some BinaryInteger) {
        sample("", labels, String(value))
    }

    /// Writes a floating-point sample of the metric.
    package mutating func sample(_ labels: Labels, _ value: Double) {
        sample("", labels, Self.text(value))
    }

    /// Writes the samples of a histogram.
    package mutating func samples(_ labels: Labels, _ histogram: Histogram) {
        var count: UInt64 = 0
        for (bound, countBelow) in zip(histogram.bounds, histogram.counts) {
            count += countBelow
            sample("_bucket", labels.adding("le", Self.text(bound)), String(count))
        }
        sample("_bucket", labels.adding("le", "+Inf"), String(histogram.count))
        sample("_sum", labels, Self.text(histogram.sum))
        sample("_count", labels, String(histogram.count))
    }

    private mutating func sample(_ suffix: String, _ labels: Labels, _ value: String) {
        append(name)
        append(suffix)
        if !labels.text.isEmpty {
            append("{")
            append(labels.text)
            append("}")
        }
        append(" ")
        append(value)
        append("\n")
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// Returns a number in the shortest form that parses to the same value.
    private static func text(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "NaN" : value > 0 ? "+Inf" : "-Inf" }
        if let whole = Int64(exactly: value) { return String(whole) }
        return value.description
    }
}

extension PrometheusText {
    /// The labels of a sample, escaped.
    package struct Labels: Sendable, Hashable {
        /// The text between the braces.
        private(set) var text = ""

        /// No labels.
        package static let none = Labels()

        private init() {}

        /// Creates one label.
        package init(_ name: String, _ value: String) { self = Labels().adding(name, value) }

        /// Returns these labels with one more.
        package func adding(_ name: String, _ value: String) -> Labels {
            var labels = self
            if !text.isEmpty { labels.text += "," }
            labels.text += "\(name)=\"\(Self.escaped(value))\""
            return labels
        }

        private static func escaped(_ value: String) -> String {
            guard value.utf8.contains(where: { $0 == 0x5C || $0 == 0x22 || $0 == 0x0A }) else { return value }
            var text = ""
            // Iterate over scalars: a carriage return and a line feed form a single `Character`.
            for scalar in value.unicodeScalars {
                switch scalar {
                case "\\": text += "\\\\"
                case "\"": text += "\\\""
                case "\n": text += "\\n"
                default: text.unicodeScalars.append(scalar)
                }
            }
            return text
        }
    }
}

/// A histogram with fixed bounds.
package struct Histogram: Sendable, Hashable {
    /// The upper bounds in ascending order; a value above the last one is only counted in `count`.
    let bounds: [Double]
    /// The number of values in each bucket: at most its bound and above the previous one.
    private(set) var counts: [UInt64]
    /// The number of values.
    private(set) var count: UInt64 = 0
    /// The sum of the values.
    private(set) var sum = 0.0

    /// Creates an empty histogram.
    package init(bounds: [Double]) {
        self.bounds = bounds
        counts = [UInt64](repeating: 0, count: bounds.count)
    }

    /// Counts a value.
    package mutating func observe(_ value: Double) {
        count += 1
        sum += value
        if let index = bounds.firstIndex(where: { value <= $0 }) { counts[index] += 1 }
    }
}
