import StreamHealth

/// The colors of a terminal (ECMA-48, select graphic rendition), or none.
struct TerminalColor {
    let isUsed: Bool

    /// Text in the color of a status.
    func callAsFunction(_ status: CheckStatus, _ text: String) -> String {
        switch status {
        case .fail: code("1;31", text)
        case .warn: code("1;33", text)
        case .pass: code("32", text)
        case .notRun: code("2", text)
        }
    }

    /// A line of which the first characters have the color of a status.
    func first(_ count: Int, of line: String, as status: CheckStatus) -> String {
        self(status, String(line.prefix(count))) + line.dropFirst(count)
    }

    /// Text that matters more.
    func strong(_ text: String) -> String { code("1", text) }

    /// Text that matters less.
    func faint(_ text: String) -> String { code("2", text) }

    private func code(_ code: String, _ text: String) -> String {
        isUsed ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
