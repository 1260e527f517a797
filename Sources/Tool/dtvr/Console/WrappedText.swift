/// Text broken into lines at its blanks.
enum WrappedText {
    /// Lines of at most `width` characters; those after the first are `hanging` to the right, all are `indent`.
    ///
    /// A word that is longer than a line has a line of its own.
    static func lines(_ text: String, width: Int, indent: Int = 0, hanging: Int = 0) -> [String] {
        var lines: [String] = []
        var line = ""
        var margin = indent
        func withMargin(_ line: String) -> String { String(repeating: " ", count: margin) + line }
        for word in text.split(separator: " ") {
            if !line.isEmpty, margin + line.count + 1 + word.count > width {
                lines.append(withMargin(line))
                line = ""
                margin = indent + hanging
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        if !line.isEmpty { lines.append(withMargin(line)) }
        return lines
    }

    /// The text, filled with blanks to a width.
    static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
