/// A reason why a text is not a playlist.
package enum PlaylistError: Error, Sendable, Hashable {
    /// The text has no nonblank lines.
    case empty

    /// The first line that is neither blank nor a comment is not a playlist tag such as `#EXTM3U` (RFC 8216, 4.3.1.1).
    ///
    /// `line` counts from 1, `offset` is the offset of the line's first byte, and `text` is at most its first 80 bytes.
    case notPlaylist(line: Int, offset: Int, text: String)

    /// The line at which parsing stopped, counted from 1.
    package var line: Int {
        switch self {
        case .empty: 1
        case .notPlaylist(let line, _, _): line
        }
    }
}
