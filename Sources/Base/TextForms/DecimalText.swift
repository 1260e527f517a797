/// Locale-independent parsing and formatting of numbers.
package enum DecimalText {
    /// Parses a number of digits with or without decimals, such as `1.5`; returns nil for any other text.
    package static func value(_ text: String) -> Double? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }), let value = Double(text),
            value.isFinite
        else { return nil }
        return value
    }

    /// Formats a number with a fixed number of decimals; returns `unknown` if it is not finite or too large to be a
    /// time.
    package static func fixed(_ value: Double, decimals: Int, unknown: String = "–") -> String {
        var scale: Int64 = 1
        for _ in 0..<decimals { scale *= 10 }
        let scaled = (value * Double(scale)).rounded()
        guard scaled.magnitude < 1e15 else { return unknown }
        let units = Int64(scaled)
        let whole = (units < 0 ? "-" : "") + String(units.magnitude / scale.magnitude)
        guard decimals > 0 else { return whole }
        return whole + "." + padded(units.magnitude % scale.magnitude, digits: decimals)
    }

    /// Pads a number with leading zeros to a number of digits.
    package static func padded(_ value: some BinaryInteger, digits: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// Formats a number with at most three decimals and no trailing zeros; returns `unknown` as `fixed` does.
    package static func short(_ value: Double, unknown: String = "–") -> String {
        let scaled = (value * 1_000).rounded()
        guard scaled.magnitude < 1e15 else { return unknown }
        let rest = Int64(scaled) % 1_000
        let decimals = rest == 0 ? 0 : rest % 100 == 0 ? 1 : rest % 10 == 0 ? 2 : 3
        return fixed(value, decimals: decimals, unknown: unknown)
    }

    /// Formats seconds as `1:02:03` or `2:03`, rounded to whole seconds.
    package static func clock(_ seconds: Double) -> String {
        guard seconds.magnitude < 1e12 else { return "–" }
        let whole = Int64(seconds.rounded())
        let (hours, minutes, rest) = (
            whole.magnitude / 3_600, whole.magnitude / 60 % 60, whole.magnitude % 60
        )
        let sign = whole < 0 ? "-" : ""
        let tail = padded(rest, digits: 2)
        guard hours > 0 else { return "\(sign)\(minutes):\(tail)" }
        return "\(sign)\(hours):\(padded(minutes, digits: 2)):\(tail)"
    }

    /// Returns a number and the noun that it counts, such as `1 tag` or `2 tags`.
    ///
    /// - Parameter plural: the noun for any number except 1; nil for the singular with an `s`.
    package static func count(
        _ number: some BinaryInteger, _ singular: String, _ plural: String? = nil
    ) -> String {
        "\(number) \(number == 1 ? singular : plural ?? singular + "s")"
    }

    /// Returns the same with a narrow no-break space between thousands.
    package static func groupedCount(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
        "\(grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
    }

    /// Formats an integer with a narrow no-break space between thousands.
    package static func grouped(_ value: Int) -> String {
        var text = ""
        for (index, digit) in String(value.magnitude).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append("\u{202F}") }
            text.append(digit)
        }
        return (value < 0 ? "-" : "") + String(text.reversed())
    }
}
