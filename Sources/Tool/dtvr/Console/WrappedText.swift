/// Functions that wrap, fold, shorten and pad text.
enum WrappedText {
    /// Breaks a text at spaces into lines of at most `width` characters.
    ///
    /// All lines are indented by `indent`, and all but the first also by `hanging`. A word longer than a line gets its
    /// own line.
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

    /// Breaks a text after every `width` characters, indenting all lines but the first by `hanging`.
    static func folded(_ text: String, width: Int, hanging: Int) -> [String] {
        var lines = [String(text.prefix(width))]
        var rest = text.dropFirst(width)
        let room = max(1, width - hanging)
        while !rest.isEmpty {
            lines.append(String(repeating: " ", count: hanging) + rest.prefix(room))
            rest = rest.dropFirst(room)
        }
        return lines
    }

    /// Shortens a text to `width` characters by replacing its middle with an ellipsis.
    static func shortened(_ text: String, to width: Int) -> String {
        guard text.count > width, width > 1 else { return text }
        let end = (width - 1) / 2
        return text.prefix(width - 1 - end) + "…" + text.suffix(end)
    }

    /// Pads a text with spaces to `width` characters.
    static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
