/// Why a text is not a playlist.
package enum PlaylistError: Error, Sendable, Hashable {
    /// There is no line with anything on it.
    case empty

    /// The first line with anything on it but a comment is neither `#EXTM3U` nor another tag of a playlist
    /// (RFC 8216, 4.3.1.1).
    ///
    /// `line` counts from 1, `offset` is the line's first byte; `text` is how it begins, at most 80 bytes of it.
    case notPlaylist(line: Int, offset: Int, text: String)

    /// The line that the reading stopped at, counted from 1.
    package var line: Int {
        switch self {
        case .empty: 1
        case .notPlaylist(let line, _, _): line
        }
    }
}
