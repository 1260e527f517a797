import TextForms

/// A number of seconds formatted for a sentence: `9 s`, `0.75 s`, `-12.5 s`.
struct SecondsText: CustomStringConvertible {
    let description: String

    /// Formats whole seconds.
    init(_ seconds: Int) { description = "\(seconds) s" }

    /// Formats seconds with up to three decimals, without trailing zeros.
    init(_ seconds: Double) {
        description = "\(DecimalText.short(seconds, unknown: "\(seconds)")) s"
    }
}
