/// A number of seconds as a sentence has it: `9 s`, `0.75 s`, `-12.5 s`.
struct SecondsText: CustomStringConvertible {
    let description: String

    /// Whole seconds.
    init(_ seconds: Int) { description = "\(seconds) s" }

    /// Seconds to the millisecond, without zeroes that say nothing.
    init(_ seconds: Double) {
        let thousandths = (seconds.magnitude * 1_000).rounded()
        guard thousandths < 1e15 else {
            description = "\(seconds) s"
            return
        }
        let whole = Int(thousandths)
        var fraction = String(1_000 + whole % 1_000).dropFirst()
        while fraction.last == "0" { fraction = fraction.dropLast() }
        let sign = seconds < 0 && whole > 0 ? "-" : ""
        description = "\(sign)\(whole / 1_000)\(fraction.isEmpty ? "" : ".\(fraction)") s"
    }
}
