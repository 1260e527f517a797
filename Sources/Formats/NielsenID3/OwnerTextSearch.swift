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
/// - It is in several lines of a log, and each line has the same prefix, except for its numbers.
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
    /// The first bytes of the line of these bytes.
    private var lineStart: [UInt8] = []
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
            var match = OwnerTextMatch(
                bytes, at: position, isAtEnd: isAtEnd,
                lineStart: LineStart(earlier: lineStart, scanned: start))
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
        lineStart = LineStart(earlier: lineStart, scanned: start).text(before: position, in: bytes)
        return position
    }

    /// The start of a line, which may be in bytes that the search no longer keeps.
    struct LineStart {
        /// The first bytes of the line of the last byte that is no longer kept or was searched before.
        let earlier: [UInt8]
        /// The position after that byte.
        let scanned: Int

        /// Returns the first bytes of the line of a position, up to the position.
        func text(before position: Int, in bytes: Span<UInt8>) -> [UInt8] {
            var begin = position
            while begin > scanned, !(0x0A...0x0D).contains(bytes[begin - 1]) { begin -= 1 }
            let front = begin > scanned ? [] : earlier
            let end = min(position, begin + OwnerTextPrefix.maximumByteCount - front.count)
            return front + bytes.copy(begin..<end)
        }
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
        return OwnerTextFinding(
            tag: tag, place: place, repairs: repairs, isBrokenByLineEnd: match.isBrokenByLineEnd)
    }
}

/// A counter for the lines of a text up to an offset that never decreases.
struct LineCounter: Sendable {
    private var line = 1
    /// The offset in the text at which the current line begins.
    private var lineStart = 0
    private var position = 0

    /// Returns the line and column of an offset in the text.
    ///
    /// `bytes` is the part of the text that begins at `base`.
    mutating func place(of offset: Int, in bytes: Span<UInt8>, at base: Int) -> TextPlace {
        advance(to: offset, in: bytes, at: base)
        return TextPlace(line: line, column: offset - lineStart + 1)
    }

    /// Counts the lines up to an offset of the text, which is in `bytes` or directly after them.
    mutating func advance(to offset: Int, in bytes: Span<UInt8>, at base: Int) {
        guard offset > position else { return }
        let counted = bytes.extracting(position - base..<offset - base)
        let ends = counted.count(of: 0x0A)
        if ends > 0 {
            line += ends
            var last = counted.count - 1
            while counted[last] != 0x0A { last -= 1 }
            lineStart = position + last + 1
        }
        position = offset
    }
}

extension Span<UInt8> {
    /// Returns the number of bytes equal to `byte`, counted with vector instructions.
    fileprivate func count(of byte: UInt8) -> Int {
        var total = 0
        var start = 0
        // A lane is one byte wide and counts at most one match per block, so 255 blocks cannot overflow it.
        while count - start >= 32 {
            let blocks = Swift.min((count - start) / 32, 255)
            var sums = InlineArray<32, UInt8>(repeating: 0)
            for block in 0..<blocks {
                let chunk = extracting(start &+ 32 &* block..<start &+ 32 &* block &+ 32)
                for lane in 0..<32 { sums[lane] &+= chunk[lane] == byte ? 1 : 0 }
            }
            for lane in 0..<32 { total += Int(sums[lane]) }
            start += 32 * blocks
        }
        while start < count {
            if self[start] == byte { total += 1 }
            start += 1
        }
        return total
    }
}

/// A search for positions at which an owner identifier may begin.
///
/// Such a position has a `w` in either case, followed by another `w` or by text that may occur inside an identifier.
enum OwnerTextStart {
    /// The number of bytes examined together.
    private static let width = 32

    /// Returns the next such position at or after `start`, or the number of bytes if there is none.
    ///
    /// A `w` as the last byte counts if the text may continue.
    static func next(in bytes: Span<UInt8>, from start: Int, isAtEnd: Bool) -> Int {
        var position = start
        while position < bytes.count {
            while bytes.count - position > width, !hasStart(bytes, at: position) { position &+= width }
            let end = min(position + width, bytes.count)
            while position < end {
                guard bytes[position] | 0x20 == 0x77 else {
                    position += 1
                    continue
                }
                guard position + 1 < bytes.count else { return isAtEnd ? bytes.count : position }
                if mayFollow(bytes[position + 1]) { return position }
                position += 1
            }
        }
        return bytes.count
    }

    /// Returns whether one of `width` bytes is such a position, without branches, so that the compiler can vectorize
    /// it.
    @inline(__always)
    private static func hasStart(_ bytes: Span<UInt8>, at start: Int) -> Bool {
        let chunk = bytes.extracting(start..<start &+ width &+ 1)
        var smallest = UInt8.max
        for index in 0..<width {
            let letter = (chunk[index] | 0x20) ^ 0x77
            let next = chunk[index &+ 1]
            // Zero if `next` may follow: w, a blank or line end, a colon, a percent sign or a backslash.
            var follower = (next | 0x20) ^ 0x77
            follower = Swift.min(follower, next ^ 0x20)
            follower = Swift.min(follower, next ^ 0x3A)
            follower = Swift.min(follower, next ^ 0x25)
            follower = Swift.min(follower, next ^ 0x5C)
            follower = Swift.min(follower, next &- 0x09 < 5 ? 0 : 0xFF)
            smallest = Swift.min(smallest, letter | follower)
        }
        return smallest == 0
    }

    private static func mayFollow(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x57, 0x77, 0x20, 0x3A, 0x25, 0x5C, 0x09...0x0D: true
        default: false
        }
    }
}
