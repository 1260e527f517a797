import TextForms

/// A number of seconds as a sentence has it: `9 s`, `0.75 s`, `-12.5 s`.
struct SecondsText: CustomStringConvertible {
    let description: String

    /// Whole seconds.
    init(_ seconds: Int) { description = "\(seconds) s" }

    /// Seconds to the millisecond, without needless zeros.
    init(_ seconds: Double) {
        description = "\(DecimalText.short(seconds, unknown: "\(seconds)")) s"
    }
}
