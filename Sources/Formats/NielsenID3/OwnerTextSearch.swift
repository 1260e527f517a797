import ByteReading

/// A search for owner identifiers in any text, such as a log, a capture or terminal output.
///
///     var search = OwnerTextSearch()
///     while let chunk = … { search.search(chunk.span) { finding in … } }
///     search.finish { finding in … }
///
/// A line may contain several identifiers, with any text between them. Chunks may have any size. Between chunks, the
/// search keeps at most `maximumByteCount` bytes, the maximum length of an identifier, whatever the length of the text.
///
/// The search repairs an identifier only in these cases, and reports every repair:
///
/// - It contains nothing extra except blanks, line ends, `\u003d`, `%3D` or `: `.
/// - Its slashes and equals signs are escaped as in JSON, URLs or HTML.
/// - Its host is in upper case.
///
/// Text that begins with `www.nielsen.com/` and cannot be repaired is reported as broken, with its defect. The only
/// exception is a web page address such as `https://www.nielsen.com/us/en/about`, which is skipped if it cannot be a
/// damaged identifier.
package struct OwnerTextSearch: Sendable {
    /// The maximum number of bytes that an identifier may occupy, including the text inside it.
    static let maximumByteCount = 8192

    /// The bytes from the start of an undecided identifier.
    private(set) var rest: [UInt8] = []
    /// The last bytes before the next ones to scan.
    private var before: [UInt8] = []
    /// The offset in the text of the next bytes to scan, `rest` included.
    private var base = 0
    private var lines = LineCounter()

    /// Creates a search at the start of a text.
    package init() {}

    /// Continues with the next bytes of the text and calls `found` for each identifier that they complete.
    package mutating func search(_ chunk: Span<UInt8>, _ found: (OwnerTextFinding) -> Void) {
        var start = 0
        if !rest.isEmpty {
            // Enough of the chunk to decide every identifier that begins in `rest`.
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
        // Make `base` relative to the chunk, whose first `start` bytes are already scanned.
        base -= start
        let end = scan(chunk, from: start, upTo: chunk.count, isAtEnd: false, found)
        base += end
        rest = chunk.copy(end..<chunk.count)
    }

    /// Ends the text and calls `found` for the identifiers that were still undecided.
    package mutating func finish(_ found: (OwnerTextFinding) -> Void) {
        let last = rest
        rest = []
        base += scan(last.span, from: 0, upTo: last.count, isAtEnd: true, found)
    }

    /// Searches for identifiers that begin before `limit`; returns the position at which the next one may begin.
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
                    && (OwnerTextAddress.isChoicePage(match.owner)
                        || OwnerTextAddress.isPage(match.owner)
                            && OwnerTextAddress.endsInScheme(front(of: position, in: bytes, from: start)))
                if !isPage { found(finding(of: match, in: bytes, at: position)) }
                position = end
            }
        }
        // Count the lines now, before the caller discards the bytes.
        position = min(position, bytes.count)
        lines.advance(to: base + position, in: bytes, at: base)
        before = front(of: position, in: bytes, from: start)
        return position
    }

    /// Returns the last bytes before a position; bytes before `start` come from `before`.
    private func front(of place: Int, in bytes: Span<UInt8>, from start: Int) -> [UInt8] {
        let length = OwnerTextAddress.schemeLength
        let near = bytes.extracting(max(start, place - length)..<place).copy()
        return before.suffix(length - near.count) + near
    }

    private mutating func finding(
        of match: borrowing OwnerTextMatch, in bytes: Span<UInt8>, at start: Int
    ) -> OwnerTextFinding {
        let place = lines.place(of: base + start, in: bytes, at: base)
        // A repair may be located after the start of the next identifier, so repairs use a separate counter.
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
