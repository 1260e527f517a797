import NielsenID3
import StreamHealth

/// Applies terminal colors (ECMA-48, Select Graphic Rendition), or none.
struct TerminalColor {
    let isUsed: Bool

    /// Returns text in the color of a status.
    func callAsFunction(_ status: CheckStatus, _ text: String) -> String {
        switch status {
        case .fail: code("1;31", text)
        case .warn: code("1;33", text)
        case .pass: code("32", text)
        case .notRun: code("2", text)
        }
    }

    /// Returns a line with its first characters in the color of a status.
    func first(_ count: Int, of line: String, as status: CheckStatus) -> String {
        self(status, String(line.prefix(count))) + line.dropFirst(count)
    }

    /// Returns emphasized text.
    func strong(_ text: String) -> String { code("1", text) }

    /// Returns de-emphasized text.
    func faint(_ text: String) -> String { code("2", text) }

    private func code(_ code: String, _ text: String) -> String {
        isUsed ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
