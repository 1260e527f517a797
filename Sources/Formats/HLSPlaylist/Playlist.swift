/// An HTTP Live Streaming playlist of either kind (RFC 8216, section 4).
///
///     let playlist = try Playlist(parsing: bytes.span)
///
/// The parser reads as much as possible: an invalid line adds an entry to `problems`, and the remaining lines are still
/// parsed. Parsing fails only if the text is not a playlist.
package enum Playlist: Sendable, Hashable {
    /// A playlist of media segments.
    case media(MediaPlaylist)
    /// A playlist of variant streams and renditions.
    case multivariant(MultivariantPlaylist)

    /// Parses a playlist.
    ///
    /// The cost is linear in the number of bytes. `PlaylistLimit` bounds the stored entries, and `PlaylistNumber`
    /// bounds each number.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8, with or without a byte order mark, with any line ends.
    ///   - variables: The `variables` of the multivariant playlist, which a media playlist may import by EXT-X-DEFINE.
    ///   - address: The address of the playlist, for EXT-X-DEFINE with QUERYPARAM; empty if it has none.
    /// - Throws: `PlaylistError` if the text is not a playlist.
    package init(
        parsing bytes: Span<UInt8>, importing variables: [String: String] = [:], address: String = ""
    ) throws(PlaylistError) {
        let kind = try PlaylistKind(telling: bytes)
        let context = ParsingContext(imported: variables, address: address)
        switch kind {
        case .media:
            var parser = MediaPlaylistParser(context: context)
            self = .media(parser.parse(bytes))
        case .multivariant:
            var parser = MultivariantPlaylistParser(context: context)
            self = .multivariant(parser.parse(bytes))
        }
    }

    /// The invalid lines in order, at most `PlaylistProblems.maximumListed` of them.
    package var problems: PlaylistProblems {
        switch self {
        case .media(let playlist): playlist.problems
        case .multivariant(let playlist): playlist.problems
        }
    }
}

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
