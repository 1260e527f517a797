import ByteReading

/// A search for owner identifiers in any text: a log, a capture, the lines of a terminal.
///
///     var search = OwnerTextSearch()
///     while let chunk = … { search.search(chunk.span) { finding in … } }
///     search.finish { finding in … }
///
/// There may be one or many a line, with any text between them. An identifier is repaired only where nothing but
/// blanks, line ends, `\u003d`, `%3D` or `: ` stands inside it, its slashes and equals signs are escaped as JSON, URLs
/// and HTML do, or its host is in upper case; every repair is reported. What begins `www.nielsen.com/` and cannot be
/// repaired is reported as broken, with its defect; only the address of a web page, `https://www.nielsen.com/us/en/about`,
/// is skipped where it cannot be what is left of one. The text comes in chunks of any size; what is kept of it between
/// them is bounded by the longest identifier, `maximumByteCount`, however long the text.
package struct OwnerTextSearch: Sendable {
    /// How many bytes of text an identifier may take, with everything that stands inside it.
    static let maximumByteCount = 8192

    /// The bytes from the start of an identifier that is not decided yet.
    private(set) var rest: [UInt8] = []
    /// The last bytes before those that come next.
    private var before: [UInt8] = []
    /// Where in the text the bytes begin that come next, `rest` included.
    private var base = 0
    private var lines = LineCounter()

    /// A search at the start of a text.
    package init() {}

    /// Goes on with the next bytes of the text; calls `found` for each identifier that is decided by them.
    package mutating func search(_ chunk: Span<UInt8>, _ found: (OwnerTextFinding) -> Void) {
        var start = 0
        if !rest.isEmpty {
            // Enough of the chunk to decide every identifier that begins in the rest.
            let taken = min(chunk.count, 2 * Self.maximumByteCount)
            let joined = rest + chunk.extracting(0..<taken).copy()
            let isAll = taken == chunk.count
            let end = scan(
                joined.span, from: 0, upTo: isAll ? joined.count : rest.count, isAtEnd: false, found)
            base += end
            guard !isAll else {
                rest = joined.span.copy(end..<joined.count)
                return
            }
            start = end - rest.count
            rest = []
        }
        // Seen from the chunk alone, the text begins as far before it as was taken from it.
        base -= start
        let end = scan(chunk, from: start, upTo: chunk.count, isAtEnd: false, found)
        base += end
        rest = chunk.copy(end..<chunk.count)
    }

    /// Says that the text has ended; calls `found` for what that decides.
    package mutating func finish(_ found: (OwnerTextFinding) -> Void) {
        let last = rest
        rest = []
        base += scan(last.span, from: 0, upTo: last.count, isAtEnd: true, found)
    }

    /// Searches for identifiers that begin before `limit`; returns where the next one may begin.
    private mutating func scan(
        _ bytes: Span<UInt8>, from start: Int, upTo limit: Int, isAtEnd: Bool,
        _ found: (OwnerTextFinding) -> Void
    ) -> Int {
        var position = start
        search: while true {
            position = OwnerTextStart.next(in: bytes, from: position, isAtEnd: isAtEnd)
            guard position < limit else { break }
            var match = OwnerTextMatch(bytes, at: position, isAtEnd: isAtEnd)
            switch match.run() {
            case .undecided: break search
            case .none: position += 1
            case .found(let end):
                // A backslash may begin an escape of an equals sign.
                let isEscaped = end < bytes.count && bytes[end] == 0x5C
                let isPage =
                    !isEscaped && match.repairs.allSatisfy(\.kind.isOfAnyAddress)
                    && OwnerTextAddress.isPage(match.owner)
                    && OwnerTextAddress.endsInScheme(front(of: position, in: bytes, from: start))
                if !isPage { found(finding(of: match, in: bytes, at: position)) }
                position = end
            }
        }
        // Lines are counted before their bytes are given back.
        position = min(position, bytes.count)
        lines.advance(to: base + position, in: bytes, at: base)
        before = front(of: position, in: bytes, from: start)
        return position
    }

    /// The last bytes before a place; those before `start` were given back.
    private func front(of place: Int, in bytes: Span<UInt8>, from start: Int) -> [UInt8] {
        let length = OwnerTextAddress.schemeLength
        let near = bytes.extracting(max(start, place - length)..<place).copy()
        return before.suffix(length - near.count) + near
    }

    private mutating func finding(
        of match: borrowing OwnerTextMatch, in bytes: Span<UInt8>, at start: Int
    ) -> OwnerTextFinding {
        let place = lines.place(of: base + start, in: bytes, at: base)
        // The repairs may lie after the start of the next identifier, so they are counted separately.
        var counter = lines
        let repairs = match.repairs.map { repair in
            OwnerTextFinding.Repair(
                kind: repair.kind, place: counter.place(of: base + repair.offset, in: bytes, at: base),
                character: repair.character)
        }
        let tag = NielsenTag(
            ownerIdentifier: match.owner, pieces: OwnerIdentifier(match.owner.span), envelope: Envelope(),
            removedBlankCount: match.removedBlankCount)
        return OwnerTextFinding(tag: tag, place: place, repairs: repairs)
    }
}
