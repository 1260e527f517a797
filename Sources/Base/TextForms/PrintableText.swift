/// Text from a stream made fit to be shown: it cannot steer a terminal, nor hide or reorder what stands beside it.
package enum PrintableText {
    /// The text with every character that moves the cursor, hides or reorders text made visible as `<1B>`.
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
