/// A cell of a CSV file (RFC 4180).
package enum CSVField {
    /// The first characters of a formula in spreadsheets.
    ///
    /// Some spreadsheets skip a tab or a carriage return before it.
    private static let formulaBeginnings = Set("=@+-\t\r".utf8)

    /// Returns the text as a cell, quoted if necessary.
    ///
    /// A spreadsheet would compute a text that begins like a formula, so an apostrophe precedes it. A single
    /// character is not a formula.
    package static func text(_ text: String) -> String {
        let isFormula = text.utf8.count > 1 && text.utf8.first.map(formulaBeginnings.contains) ?? false
        return quoted(isFormula ? "'" + text : text)
    }

    private static func quoted(_ text: String) -> String {
        let needsQuotes = text.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
        return needsQuotes ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
    }
}
