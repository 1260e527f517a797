import Glibc

/// The width of the user's terminal.
enum TerminalWidth {
    /// The narrowest width that tables are fitted to; on a narrower terminal, lines wrap.
    static let minimum = 40

    /// How many columns there are: `COLUMNS`, else what the terminal says; nil where standard output is no terminal
    /// or nobody knows.
    static func ofStandardOutput(environment: [String: String]) -> Int? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 {
            return max(columns, minimum)
        }
        var size = winsize()
        // The structure lives across the call.
        guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return max(Int(size.ws_col), minimum)
    }
}
