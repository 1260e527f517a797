import ByteReading

/// A reader for an owner identifier that may begin at a position of a text.
///
/// It reads character by character and skips or repairs the text that may occur inside an identifier.
struct OwnerTextMatch: ~Escapable {
    /// A piece of text that was removed or read as another character.
    struct Repair {
        let kind: OwnerTextFinding.Kind
        let offset: Int
        let end: Int
        let character: Int

        func moved(to character: Int) -> Repair {
            Repair(kind: kind, offset: offset, end: end, character: character)
        }
    }

    enum Outcome {
        /// The text is not an identifier.
        case none
        /// The bytes end before the result is known.
        case undecided
        /// The text is an identifier, valid or broken; the search continues at `end`.
        case found(end: Int)
    }

    /// The maximum length of the text after the first defect that belongs to a broken identifier.
    private static let longestBrokenEnd = 512
    /// The maximum length of a word of ordinary text.
    private static let longestWord = 20

    private let bytes: Span<UInt8>
    private let isAtEnd: Bool
    private let start: Int
    /// The end of the text that the identifier may occupy.
    private let limit: Int
    private var position: Int

    /// The characters of the identifier.
    private(set) var owner: [UInt8] = []
    private(set) var repairs: [Repair] = []
    private(set) var removedBlankCount = 0
    /// Whether the identifier is broken at the end of its line, and the next line does not begin another one.
    private(set) var isBrokenByLineEnd = false
    /// The escape used for the slash after the host; nil if that slash is not escaped.
    private var slash: OwnerTextEscape?
    /// The start of the line in which the identifier begins.
    private let lineStart: OwnerTextSearch.LineStart

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, at start: Int, isAtEnd: Bool, lineStart: OwnerTextSearch.LineStart) {
        self.bytes = bytes
        self.isAtEnd = isAtEnd
        self.start = start
        self.lineStart = lineStart
        position = start
        limit = min(bytes.count, start + OwnerTextSearch.maximumByteCount)
    }

    /// Whether the text may continue after the available bytes.
    private var mayGoOn: Bool {
        !isAtEnd && limit == bytes.count && limit - start < OwnerTextSearch.maximumByteCount
    }

    @_lifetime(self: copy self)
    mutating func run() -> Outcome {
        if readIntact() { return .found(end: position) }
        while owner.count < OwnerIdentifier.length {
            let place = OwnerPlace(owner.count)
            if case .equalsSigns(let count) = place {
                guard let isValid = readEqualsSigns(count) else { return .undecided }
                guard isValid else { return broken() }
                continue
            }
            guard skipInside() else { return .undecided }
            guard position < limit else { return mayGoOn ? .undecided : broken() }
            if place.allows(bytes[position]) {
                owner.append(bytes[position])
                position += 1
                continue
            }
            guard case .letter(let letter) = place else { return broken() }
            if letter == 0x2F {
                guard let isSlash = readSlash() else { return .undecided }
                guard isSlash else { return broken() }
            } else if letter == Self.lowerCase(bytes[position]) {
                readUpperCase(letter)
            } else {
                return broken()
            }
        }
        // Another digit makes the breakout invalid; any other text separates this identifier from the next.
        guard position < bytes.count else { return isAtEnd ? .found(end: position) : .undecided }
        return bytes[position] &- 0x30 < 10 ? broken() : whole()
    }

    /// Reads a valid identifier without inner text at once, with the same result as the slower loop.
    @_lifetime(self: copy self)
    private mutating func readIntact() -> Bool {
        let length = OwnerIdentifier.length
        guard bytes.count - start > length, bytes[start + length] &- 0x30 >= 10 else { return false }
        let text = bytes.extracting(start..<start + length)
        guard OwnerIdentifier(valid: text) != nil else { return false }
        owner = text.copy()
        position = start + length
        return true
    }

    @_lifetime(self: copy self)
    private mutating func whole() -> Outcome {
        countBlanks()
        return .found(end: position)
    }

    @_lifetime(self: copy self)
    private mutating func countBlanks() {
        for repair in repairs where repair.kind == .blanks || repair.kind == .lineEnd {
            removedBlankCount += repair.end - repair.offset
        }
    }

    // MARK: Repairs

    /// Skips the text that may occur between two characters; returns false if the bytes end before it does.
    @_lifetime(self: copy self)
    private mutating func skipInside() -> Bool {
        // Nothing can be inside the identifier before its first character.
        guard !owner.isEmpty else { return true }
        while true {
            switch inside() {
            case .undecided: return false
            case .none: return true
            case .found(let kind, let length): record(kind, length: length)
            }
        }
    }

    /// Looks at the current position for text that may occur anywhere inside an identifier.
    private func inside() -> OwnerTextEscape.Reading {
        guard position < limit else { return mayGoOn ? .undecided : .none }
        switch bytes[position] {
        case 0x0A...0x0D: return .found(.lineEnd, length: 1)
        case 0x09, 0x20: return .found(.blanks, length: 1)
        default: break
        }
        if let last = repairs.last, last.kind == .lineEnd, last.end == position {
            let prefix = OwnerTextPrefix.read(
                lineStart.text(before: start, in: bytes), in: bytes, at: position, limit: limit,
                mayGoOn: mayGoOn)
            if case .none = prefix {} else { return prefix }
        }
        switch bytes[position] {
        case 0x3A: return read([.colon])
        case 0x25: return read([.percentEqualsSign])
        case 0x5C: return read([.jsonEqualsSign])
        default: return .none
        }
    }

    /// Returns the first of some escapes that matches at the current position.
    private func read(_ escapes: [OwnerTextEscape]) -> OwnerTextEscape.Reading {
        OwnerTextEscape.read(escapes, in: bytes, at: position, limit: limit, mayGoOn: mayGoOn)
    }

    /// Reads an escape as the required slash; returns nil if the bytes end before the result is known.
    @_lifetime(self: copy self)
    private mutating func readSlash() -> Bool? {
        switch read(OwnerTextEscape.slashes) {
        case .undecided: return nil
        case .none: return false
        case .found(let kind, let length):
            if slash == nil { slash = OwnerTextEscape.slashes.first { $0.kind == kind } }
            record(kind, length: length)
            owner.append(0x2F)
            return true
        }
    }

    /// Reads an upper-case letter of the host and records the first one.
    @_lifetime(self: copy self)
    private mutating func readUpperCase(_ letter: UInt8) {
        if !repairs.contains(where: { $0.kind == .upperCaseHost }) {
            repairs.append(
                Repair(kind: .upperCaseHost, offset: position, end: position + 1, character: owner.count))
        }
        owner.append(letter)
        position += 1
    }

    private static func lowerCase(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }

    /// Records a repair, merging adjacent blanks and line ends into one.
    @_lifetime(self: copy self)
    private mutating func record(_ kind: OwnerTextFinding.Kind, length: Int) {
        let end = position + length
        if let last = repairs.last, last.end == position, last.character == owner.count,
            kind == .blanks && (last.kind == .blanks || last.kind == .lineEnd)
                || kind == .lineEnd && (last.kind == .lineEnd || last.kind == .blanks)
        {
            let joined = last.kind == .lineEnd || kind == .lineEnd ? OwnerTextFinding.Kind.lineEnd : .blanks
            repairs[repairs.count - 1] = Repair(
                kind: joined, offset: last.offset, end: end, character: last.character)
        } else {
            repairs.append(Repair(kind: kind, offset: position, end: end, character: owner.count))
        }
        position = end
    }

    /// Reads the equals signs that end a base64 piece; returns nil if the bytes end before the result is known.
    ///
    /// Literal signs count first. Escapes then replace the missing signs, in order. Surplus escapes that may occur at
    /// any position are removed like a blank.
    @_lifetime(self: copy self)
    private mutating func readEqualsSigns(_ count: Int) -> Bool? {
        let first = repairs.count
        /// The number of signs and escapes before each repair.
        var before: [(signs: Int, escapes: Int)] = []
        var signs = 0
        var escapes = 0
        reading: while true {
            if position < limit, bytes[position] == 0x3D, signs < count {
                signs += 1
                position += 1
                continue
            }
            var reading = inside()
            if case .none = reading, signs + escapes < count { reading = read(OwnerTextEscape.equalsSigns) }
            switch reading {
            case .undecided: return nil
            case .none: break reading
            case .found(let kind, let length):
                record(kind, length: length)
                if repairs.count - first > before.count { before.append((signs, escapes)) }
                if kind.isEqualsSign { escapes += 1 }
            }
        }
        let readEscapes = min(escapes, count - signs)
        for (index, counts) in before.enumerated() {
            let character = owner.count + counts.signs + min(counts.escapes, readEscapes)
            repairs[first + index] = repairs[first + index].moved(to: character)
        }
        owner.append(contentsOf: repeatElement(0x3D, count: signs + readEscapes))
        return signs + readEscapes == count
    }

    // MARK: Broken identifiers

    /// Ends an identifier that cannot be repaired, or reports that the text is not an identifier.
    ///
    /// Inner text is removed only if a later `/` at its expected position proves that it was inside. The first unproven
    /// repair ends the identifier: the identifier was truncated there.
    @_lifetime(self: copy self)
    private mutating func broken() -> Outcome {
        guard owner.count >= OwnerIdentifier.Offset.pcCID else { return .none }
        let proven = OwnerPlace.lastSlash(before: owner.count)
        if let end = repairs.firstIndex(where: { $0.character > proven }) {
            if isBeforeWord(repairs[end]) { return .none }
            if repairs[end].kind == .lineEnd {
                guard let isBroken = isBrokenByLineEnd(repairs[end]) else { return .undecided }
                isBrokenByLineEnd = isBroken
            }
            position = repairs[end].offset
            owner.removeLast(owner.count - repairs[end].character)
            repairs.removeLast(repairs.count - end)
            countBlanks()
            return .found(end: position)
        }
        guard readBrokenEnd() else { return .undecided }
        countBlanks()
        return .found(end: position)
    }

    /// Returns whether other text than an identifier follows a line end and the prefix of its line; returns nil if the
    /// bytes end before the result is known.
    private func isBrokenByLineEnd(_ lineEnd: Repair) -> Bool? {
        let prefix = repairs.first { $0.kind == .linePrefix && $0.offset == lineEnd.end }
        let next = prefix?.end ?? lineEnd.end
        // The host and the longest escape of its slash.
        if mayGoOn, bytes.count < next + OwnerPlace.domain.count + 6 {
            return nil
        }
        return next < bytes.count && !beginsNext(at: next)
    }

    /// Returns whether blanks separate the host from a word of ordinary text, as in a sentence about the host.
    private func isBeforeWord(_ blanks: Repair) -> Bool {
        guard blanks.kind == .blanks, blanks.character == OwnerPlace.domain.count else { return false }
        var end = blanks.end
        while end < bytes.count, (0x61...0x7A).contains(bytes[end]) { end += 1 }
        guard (2...Self.longestWord).contains(end - blanks.end), !beginsNext(at: blanks.end) else {
            return false
        }
        // Base64 has upper-case letters or digits among as many characters.
        return end == bytes.count ? isAtEnd : Self.isDelimiter(bytes[end]) || ".,:".utf8.contains(bytes[end])
    }

    /// Appends the text after the first defect that can belong to the identifier; returns false if more bytes are
    /// needed.
    @_lifetime(self: copy self)
    private mutating func readBrokenEnd() -> Bool {
        let end = min(bytes.count, position + Self.longestBrokenEnd)
        // The first letters of the next identifier's domain may have been read as base64.
        let reach = min(3, owner.count - OwnerIdentifier.Offset.pcCID)
        for back in stride(from: reach, through: 1, by: -1) where beginsNext(at: position - back) {
            owner.removeLast(back)
            position -= back
            return true
        }
        while position < end {
            // The same escape as that of the slash after the host is a slash.
            if let slash {
                switch slash.read(bytes, at: position, limit: limit, mayGoOn: mayGoOn) {
                case .undecided: return false
                case .none: break
                case .found(let kind, let length):
                    record(kind, length: length)
                    owner.append(0x2F)
                    continue
                }
            }
            guard !Self.isDelimiter(bytes[position]), !beginsNext(at: position) else { break }
            owner.append(bytes[position])
            position += 1
        }
        return position < bytes.count || isAtEnd
            || position >= end && end - start >= OwnerTextSearch.maximumByteCount
    }

    /// Returns whether the next identifier begins at a position, as far as its bytes are available.
    private func beginsNext(at place: Int) -> Bool {
        let host = OwnerPlace.domain.count - 1
        guard place > start, bytes.count - place > host else { return false }
        for index in 0..<host where Self.lowerCase(bytes[place + index]) != OwnerPlace.domain[index] {
            return false
        }
        if bytes[place + host] == 0x2F { return true }
        let reading = OwnerTextEscape.read(
            OwnerTextEscape.slashes, in: bytes, at: place + host, limit: bytes.count, mayGoOn: false)
        if case .found = reading { return true }
        return false
    }

    /// Returns whether a byte ends a word: blanks, quotes, brackets and everything except printable ASCII.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x25, 0x2A, 0x2B, 0x2D...0x3A, 0x3D, 0x3F...0x5A, 0x5E, 0x5F, 0x61...0x7A, 0x7E:
            false
        default: true
        }
    }
}
