/// On and off, as people write them.
enum Toggle {
    static func isOn(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "yes", "on", "1": true
        case "false", "no", "off", "0": false
        default: nil
        }
    }
}

/// A length of time, as people write it.
enum DurationText {
    /// The seconds of `90s`, `15m`, `36h`, `10d`, `1.5h`, or of a bare number; nil for anything else.
    static func seconds(_ text: String) -> Double? {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let last = text.last else { return nil }
        let (digits, unit) = units[last].map { (text.dropLast(), $0) } ?? (text[...], 1)
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
            let number = Double(digits), number.isFinite, number * unit <= 1e9
        else { return nil }
        return number * unit
    }

    /// A length of time for people, in the largest unit that leaves no fraction: `36h`, `0.001s`.
    static func text(_ seconds: Double) -> String {
        let units: [(name: String, seconds: Double)] = [("d", 86_400), ("h", 3_600), ("m", 60)]
        let unit = units.first {
            seconds > $0.seconds && seconds.truncatingRemainder(dividingBy: $0.seconds) == 0
        }
        let count = seconds / (unit?.seconds ?? 1)
        return (Int(exactly: count).map { "\($0)" } ?? "\(count)") + (unit?.name ?? "s")
    }
}

/// A size in bytes, as people write it.
enum ByteCountText {
    /// The bytes of `30000000`, `30MB` (decimal) or `28MiB` (binary); nil for anything else.
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

    /// A size for people: `512 B`, `29.6 MB`.
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
