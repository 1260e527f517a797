/// Writes metrics in the text format of Prometheus, version 0.0.4.
///
/// All samples of a metric follow its `begin`.
struct PrometheusText {
    /// The media type of the format.
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// What a metric is.
    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    /// What has been written so far.
    private(set) var bytes: [UInt8] = []
    private var name = ""

    /// A text with room for so many bytes.
    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Begins a metric.
    mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        append("# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
    }

    /// Writes a sample of the metric.
    mutating func sample(_ labels: Labels, _ value: some BinaryInteger) {
        sample("", labels, String(value))
    }

    /// Writes a sample of the metric.
    mutating func sample(_ labels: Labels, _ value: Double) {
        sample("", labels, Self.text(value))
    }

    /// Writes the samples that a histogram is made of.
    mutating func samples(_ labels: Labels, _ histogram: Histogram) {
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

    /// A number in the shortest form that reads back as the same.
    private static func text(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "NaN" : value > 0 ? "+Inf" : "-Inf" }
        if let whole = Int64(exactly: value) { return String(whole) }
        return value.description
    }
}

extension PrometheusText {
    /// The labels of a sample, escaped.
    struct Labels: Sendable, Hashable {
        /// As they stand between the braces.
        private(set) var text = ""

        /// No labels.
        static let none = Labels()

        private init() {}

        /// One label.
        init(_ name: String, _ value: String) { self = Labels().adding(name, value) }

        /// These labels and one more.
        func adding(_ name: String, _ value: String) -> Labels {
            var labels = self
            if !text.isEmpty { labels.text += "," }
            labels.text += "\(name)=\"\(Self.escaped(value))\""
            return labels
        }

        private static func escaped(_ value: String) -> String {
            guard value.utf8.contains(where: { $0 == 0x5C || $0 == 0x22 || $0 == 0x0A }) else { return value }
            var text = ""
            // Scalars: a line end after a carriage return is one character with it.
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
