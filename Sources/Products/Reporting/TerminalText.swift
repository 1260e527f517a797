/// Text in columns of a terminal; it must be printable.
enum TerminalText {
    /// How many columns the text takes.
    static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

    /// The text, filled with blanks to a width.
    static func left(_ text: String, _ columns: Int) -> String {
        text + String(repeating: " ", count: max(0, columns - width(text)))
    }

    /// The text, with blanks in front up to a width.
    static func right(_ text: String, _ columns: Int) -> String {
        String(repeating: " ", count: max(0, columns - width(text))) + text
    }

    /// The text with its middle left out where it is wider.
    static func shortened(_ text: String, _ columns: Int) -> String {
        guard width(text) > columns else { return text }
        let half = (columns - 1) / 2
        return fitting(text, half) + "…" + String(fitting(String(text.reversed()), half).reversed())
    }

    /// The text in lines of at most so many columns, broken at blanks where there are any.
    static func wrapped(_ text: String, _ columns: Int) -> [String] {
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

    /// As many of the first characters as fit, and at least one.
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

    /// The blocks of characters that take two columns (Unicode Standard Annex 11, wide), widened to whole blocks.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1FAFF,
        0x20000...0x3FFFD,
    ]
}
