/// The content of a line of a playlist (RFC 8216, 4.1).
enum PlaylistStatement {
    /// A tag, with the position of its value.
    case tag(PlaylistTag, value: Range<Int>)
    /// A URI, which fills the line.
    case uri(Range<Int>)
}

/// A cursor over the tags and URIs of a playlist, which skips comments and unknown tags.
struct PlaylistStatements {
    private var lines: PlaylistLines
    private var isFirst = true

    init(of bytes: Span<UInt8>) { lines = PlaylistLines(of: bytes) }

    /// Returns the next tag or URI and sets the context's line; returns nil at the end.
    ///
    /// The first nonblank line is checked as the header.
    mutating func next(in bytes: Span<UInt8>, _ context: inout ParsingContext) -> PlaylistStatement? {
        while let line = lines.next(in: bytes) {
            context.line = lines.number
            if isFirst { context.checkHeader(line, in: bytes) }
            isFirst = false
            if let (tag, value) = PlaylistTag.read(line, in: bytes) { return .tag(tag, value: value) }
            if bytes[line.lowerBound] != 0x23 { return .uri(line) }
        }
        return nil
    }
}
