/// Escaping of arbitrary text for XML 1.0 documents.
package enum XMLText {
    /// Escapes the text for character data or a quoted attribute.
    ///
    /// A character that XML 1.0 forbids even as a reference (2.2, Char) becomes U+FFFD. A line end or tab becomes a
    /// reference, so that it is preserved in an attribute.
    package static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result.append(contentsOf: "&amp;".unicodeScalars)
            case "<": result.append(contentsOf: "&lt;".unicodeScalars)
            case ">": result.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
            case "'": result.append(contentsOf: "&#39;".unicodeScalars)
            case "\t", "\n", "\r": result.append(contentsOf: "&#\(scalar.value);".unicodeScalars)
            case _ where isForbidden(scalar): result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF
    }
}
