/// Parsing and formatting of durations.
package enum DurationText {
    /// Parses `90s`, `15m`, `36h`, `10d`, `1.5h` or a bare number to seconds; returns nil for any other text.
    package static func seconds(_ text: String) -> Double? {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let last = text.last else { return nil }
        let (digits, unit) = units[last].map { (text.dropLast(), $0) } ?? (text[...], 1)
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
            let number = Double(digits), number.isFinite, number * unit <= 1e9
        else { return nil }
        return number * unit
    }

    /// Formats the age of something for a person, rounded down: `119 s`, `90 min`, `47 h`, `3 days`; 0 s if negative.
    package static func age(milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds / 1_000)
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) days"
        }
    }

    /// Formats an age in seconds, in the same way.
    package static func age(_ seconds: Double) -> String {
        age(milliseconds: Int64(exactly: (seconds * 1_000).rounded()) ?? 0)
    }

    /// Formats a duration in the largest unit that leaves no fraction: `36h`, `0.001s`.
    package static func text(_ seconds: Double) -> String {
        let units: [(name: String, seconds: Double)] = [("d", 86_400), ("h", 3_600), ("m", 60)]
        let unit = units.first {
            seconds > $0.seconds && seconds.truncatingRemainder(dividingBy: $0.seconds) == 0
        }
        let count = seconds / (unit?.seconds ?? 1)
        return (Int(exactly: count).map { "\($0)" } ?? "\(count)") + (unit?.name ?? "s")
    }
}
