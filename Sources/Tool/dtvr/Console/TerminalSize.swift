import Glibc

/// The size of the user's terminal.
enum TerminalSize {
    /// The narrowest width that tables are fitted to; on a narrower terminal, lines wrap.
    static let minimumWidth = 40

    /// The lowest height that tables are fitted to, and the height where nobody knows it.
    private static let minimumHeight = 5
    private static let usualHeight = 24

    /// How many columns there are: `COLUMNS`, else what the terminal says; nil where standard output is no terminal
    /// or nobody knows.
    static func width(environment: [String: String]) -> Int? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 {
            return max(columns, minimumWidth)
        }
        return size.map { max($0.columns, minimumWidth) }
    }

    /// How many lines the terminal has now.
    static var height: Int { size.map { max($0.lines, minimumHeight) } ?? usualHeight }

    private static var size: (columns: Int, lines: Int)? {
        var size = winsize()
        // The structure lives across the call.
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
