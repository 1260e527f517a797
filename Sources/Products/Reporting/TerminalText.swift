/// Layout of printable text in terminal columns.
enum TerminalText {
    /// Returns the number of columns of a text.
    static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

    /// Returns the text padded with trailing spaces to a width.
    static func left(_ text: String, _ columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - width(text)))
    }

    /// Returns the text padded with leading spaces to a width.
    static func right(_ text: String, _ columns: Int) -> String {
        String(repeating: " ", count: max(0, columns - width(text))) + text
    }

    /// Returns the text, shortened in the middle if it is wider than the columns.
    static func shortened(_ text: String, _ columns: Int) -> String {
        guard width(text) > columns else { return text }
        let half = (columns - 1) / 2
        return fitting(text, half) + "…" + String(fitting(String(text.reversed()), half).reversed())
    }

    /// Wraps text into lines of at most the given number of columns, at spaces where possible.
    static func wrapped(_ text: String, _ columns: Int) -> [String] {
        // The indentation may leave no column of a narrow terminal.
        let columns = max(1, columns)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false).map(String.init) {
            let candidate = line.isEmpty ? word : line + " " + word
            if width(candidate) <= columns {
                line = candidate
                continue
            }
            if !line.isEmpty { lines.append(line) }
            line = word
            while width(line) > columns {
                let head = fitting(line, columns)
                lines.append(head)
                line.removeFirst(head.count)
            }
        }
        return line.isEmpty && !lines.isEmpty ? lines : lines + [line]
    }

    /// Returns the longest prefix that fits, with at least one character.
    private static func fitting(_ text: String, _ columns: Int) -> String {
        var used = 0
        var result = ""
        for character in text {
            used += width(character)
            if used > columns, !result.isEmpty { break }
            result.append(character)
        }
        return result
    }

    private static func width(_ character: Character) -> Int {
        guard let first = character.unicodeScalars.first else { return 0 }
        return wide.contains { $0.contains(first.value) } ? 2 : 1
    }

    /// The blocks of characters that occupy two columns (Unicode Standard Annex 11, wide), extended to whole blocks.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1FAFF,
        0x20000...0x3FFFD,
    ]
}
