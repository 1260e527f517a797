/// Parses and formats sizes in bytes.
enum ByteCountText {
    /// Parses `30000000`, `30MB` (decimal) or `28MiB` (binary), and returns nil for invalid text.
    static func bytes(_ text: String) -> Int? {
        let units: [(suffix: String, factor: Int)] = [
            ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("kb", 1_000), ("mb", 1_000_000),
            ("gb", 1_000_000_000), ("k", 1_000), ("m", 1_000_000), ("g", 1_000_000_000), ("b", 1),
        ]
        let lowered = text.lowercased()
        let unit = units.first { lowered.hasSuffix($0.suffix) }
        let digits = lowered.dropLast(unit?.suffix.count ?? 0)
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits) else {
            return nil
        }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: unit?.factor ?? 1)
        return overflow ? nil : bytes
    }

    /// Formats a size with a decimal unit: `512 B`, `29.6 MB`.
    static func text(_ bytes: some BinaryInteger) -> String {
        let value = Double(bytes)
        switch value {
        case ..<1_000: return "\(bytes) B"
        case ..<1_000_000: return tenths(value / 1_000) + " kB"
        case ..<1_000_000_000: return tenths(value / 1_000_000) + " MB"
        case ..<1_000_000_000_000: return tenths(value / 1_000_000_000) + " GB"
        default: return tenths(value / 1_000_000_000_000) + " TB"
        }
    }

    private static func tenths(_ value: Double) -> String { ((value * 10).rounded() / 10).description }
}
