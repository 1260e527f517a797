/// A cell of a CSV file (RFC 4180).
package enum CSVField {
    /// Returns the text as a cell, quoted if necessary.
    package static func text(_ text: String) -> String {
        let needsQuotes = text.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
        return needsQuotes ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
    }
}
