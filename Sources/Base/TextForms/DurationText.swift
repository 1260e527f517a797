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

    /// Formats the distance between two times for a person, in its two largest units and rounded down: `10 min 5 s`,
    /// `7 days 13 h`; nil if it is not finite or longer than 30,000 years.
    package static func distance(_ seconds: Double) -> String? {
        guard seconds.magnitude < 1e12 else { return nil }
        let whole = Int64(seconds.magnitude)
        let days = whole / 86_400
        let parts =
            switch whole {
            case ..<60: [(whole, "s")]
            case ..<3_600: [(whole / 60, "min"), (whole % 60, "s")]
            case ..<86_400: [(whole / 3_600, "h"), (whole / 60 % 60, "min")]
            default: [(days, days == 1 ? "day" : "days"), (whole / 3_600 % 24, "h")]
            }
        let text = parts.filter { $0.0 > 0 || parts.count == 1 }.map { "\($0.0) \($0.1)" }
        return (seconds < 0 ? "-" : "") + text.joined(separator: " ")
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
