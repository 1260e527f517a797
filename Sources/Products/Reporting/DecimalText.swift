/// Numbers as people read them, with the same digits on every machine.
enum DecimalText {
    /// A number with exactly as many decimals; a dash where it is not finite or too large to be a time.
    static func fixed(_ value: Double, decimals: Int) -> String {
        var scale: Int64 = 1
        for _ in 0..<decimals { scale *= 10 }
        let scaled = (value * Double(scale)).rounded()
        guard scaled.magnitude < 1e15 else { return "–" }
        let units = Int64(scaled)
        let whole = (units < 0 ? "-" : "") + String(units.magnitude / scale.magnitude)
        guard decimals > 0 else { return whole }
        let fraction = String(units.magnitude % scale.magnitude)
        return whole + "." + String(repeating: "0", count: decimals - fraction.count) + fraction
    }

    /// A number without needless decimals, at most three.
    static func short(_ value: Double) -> String {
        var text = fixed(value, decimals: 3)
        guard text.contains(".") else { return text }
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text
    }

    /// Seconds as `1:02:03` or `2:03`, whole seconds only.
    static func clock(_ seconds: Double) -> String {
        guard seconds.magnitude < 1e12 else { return "–" }
        let whole = Int64(seconds.rounded())
        let (hours, minutes, rest) = (
            whole.magnitude / 3_600, whole.magnitude / 60 % 60, whole.magnitude % 60
        )
        let sign = whole < 0 ? "-" : ""
        let tail = (rest < 10 ? "0" : "") + String(rest)
        guard hours > 0 else { return "\(sign)\(minutes):\(tail)" }
        return "\(sign)\(hours):\(minutes < 10 ? "0" : "")\(minutes):\(tail)"
    }

    /// A whole number with a thin space between thousands.
    static func grouped(_ value: Int) -> String {
        var text = ""
        for (index, digit) in String(value.magnitude).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append("\u{202F}") }
            text.append(digit)
        }
        return (value < 0 ? "-" : "") + String(text.reversed())
    }
}
