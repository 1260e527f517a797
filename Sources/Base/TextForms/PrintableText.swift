/// Sanitizing of untrusted text for display, so that it cannot control a terminal or hide or reorder other text.
package enum PrintableText {
    /// Returns the text with every character that moves the cursor or hides or reorders text replaced, as in `<1B>`.
    package static func of(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isControl(scalar) {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                let padding = digits.count < 2 ? "0" : ""
                result.append(contentsOf: "<\(padding)\(digits)>".unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
            true
        default: false
        }
    }
}
