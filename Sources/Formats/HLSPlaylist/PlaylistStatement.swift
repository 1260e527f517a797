/// What a line of a playlist says (RFC 8216, 4.1).
enum PlaylistStatement {
    /// A tag, and where its value lies.
    case tag(PlaylistTag, value: Range<Int>)
    /// A URI, which is all of the line.
    case uri(Range<Int>)
}

/// A cursor over what the lines of a playlist say; comments, and tags that are not read, say nothing.
struct PlaylistStatements {
    private var lines: PlaylistLines
    private var isFirst = true

    init(of bytes: Span<UInt8>) { lines = PlaylistLines(of: bytes) }

    /// What is said next, by the line that the context then has; nil at the end.
    ///
    /// The first line that is not blank is held to be the header.
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
