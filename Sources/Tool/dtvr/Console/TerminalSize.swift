import Glibc

/// The size of the user's terminal.
enum TerminalSize {
    /// The minimum width that tables are fitted to; narrower terminals wrap the lines.
    static let minimumWidth = 40

    /// The minimum height that tables are fitted to, and the default if the height is unknown.
    private static let minimumHeight = 5
    private static let usualHeight = 24

    /// Returns the width from `COLUMNS`, or else from the terminal.
    ///
    /// The result is nil if standard output is not a terminal, or if its width is unknown.
    static func width(environment: [String: String]) -> Int? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 {
            return max(columns, minimumWidth)
        }
        return width(of: STDOUT_FILENO).map { max($0, minimumWidth) }
    }

    /// Returns the width of a terminal; nil if it is unknown, or if the descriptor is not a terminal.
    static func width(of descriptor: Int32) -> Int? { size(of: descriptor)?.columns }

    /// The current height of the terminal, in lines.
    static var height: Int { size(of: STDOUT_FILENO).map { max($0.lines, minimumHeight) } ?? usualHeight }

    private static func size(of descriptor: Int32) -> (columns: Int, lines: Int)? {
        var size = winsize()
        // The structure outlives the call.
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }
}
