/// A playlist of HTTP Live Streaming, of either kind (RFC 8216, section 4).
///
///     let playlist = try Playlist(parsing: bytes.span)
///
/// Everything that can be read is read: a line that breaks a rule is a value in `problems` and the rest of
/// the playlist stands. Only text that is not a playlist at all is an error.
package enum Playlist: Sendable, Hashable {
    /// A playlist of media segments.
    case media(MediaPlaylist)
    /// A playlist of variant streams and renditions.
    case multivariant(MultivariantPlaylist)

    /// Reads a playlist.
    ///
    /// - Parameters:
    ///   - bytes: The text, UTF-8, with or without a byte order mark, with any line ends.
    ///   - variables: What a media playlist may import by EXT-X-DEFINE: `variables` of its multivariant playlist.
    ///   - address: Where the playlist comes from, for EXT-X-DEFINE with QUERYPARAM; empty where it has none.
    /// - Throws: `PlaylistError` where the text is not a playlist.
    ///
    /// The cost is linear in the bytes. `PlaylistLimit` bounds what is kept, `PlaylistNumber` each number.
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

    /// The lines that break a rule, in their order; at most `PlaylistProblems.maximumListed` are kept.
    package var problems: PlaylistProblems {
        switch self {
        case .media(let playlist): playlist.problems
        case .multivariant(let playlist): playlist.problems
        }
    }
}
