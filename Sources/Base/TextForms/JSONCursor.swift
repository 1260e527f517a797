import ByteReading

/// A cursor over a JSON text that consumes one grammar element at a time.
struct JSONCursor {
    private(set) var at: Int
    private let limit: Int

    init(at: Int, end: Int) {
        self.at = at
        limit = end
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    private func peek(_ bytes: Span<UInt8>) -> UInt8? { at < limit ? bytes[at] : nil }

    mutating func skipBlanks(_ bytes: Span<UInt8>) {
        while at < limit {
            switch bytes[at] {
            case 0x20, 0x09, 0x0A, 0x0D: at += 1
            default: return
            }
        }
    }

    /// Throws if anything except blanks remains.
    mutating func end(_ bytes: Span<UInt8>) throws(JSONReader.JSONError) {
        skipBlanks(bytes)
        if at < limit { throw .malformed(at: at) }
    }

    /// Consumes the opening character of an object or array; throws if the text is invalid or another kind of value.
    mutating func open(_ bytes: Span<UInt8>, _ character: UInt8) throws(JSONReader.JSONError) {
        skipBlanks(bytes)
        guard peek(bytes) == character else {
            let start = at
            _ = try skipValue(bytes, depth: 0)
            try end(bytes)
            throw .otherKind(at: start)
        }
        at += 1
    }

    /// Returns whether the object or array that was just opened is empty, and consumes its closing character.
    mutating func closes(_ bytes: Span<UInt8>, _ character: UInt8) throws(JSONReader.JSONError) -> Bool {
        skipBlanks(bytes)
        guard peek(bytes) == character else { return false }
        at += 1
        return true
    }

    /// Consumes a comma or the closing character after a value, and returns whether it is a comma.
    mutating func continues(_ bytes: Span<UInt8>, _ closing: UInt8) throws(JSONReader.JSONError) -> Bool {
        skipBlanks(bytes)
        guard let byte = peek(bytes), byte == closing || byte == UInt8(ascii: ",") else {
            throw .malformed(at: at)
        }
        at += 1
        return byte != closing
    }

    /// Consumes a key and its colon, and returns the range of the key including its quotation marks.
    mutating func key(_ bytes: Span<UInt8>) throws(JSONReader.JSONError) -> Range<Int> {
        skipBlanks(bytes)
        let start = at
        try skipString(bytes)
        let range = start..<at
        skipBlanks(bytes)
        guard peek(bytes) == UInt8(ascii: ":") else { throw .malformed(at: at) }
        at += 1
        skipBlanks(bytes)
        return range
    }

    /// Consumes a complete value and returns its kind; `depth` is the number of enclosing values.
    mutating func skipValue(
        _ bytes: Span<UInt8>, depth outer: Int
    ) throws(JSONReader.JSONError) -> JSONReader.Kind {
        // One bit per open value, 1 for an object; there are at most 32.
        var open: UInt64 = 0
        var depth = 0
        var first: JSONReader.Kind?
        while true {
            skipBlanks(bytes)
            let kind = try kind(bytes)
            first = first ?? kind
            var isOpened = false
            if kind == .object || kind == .array {
                guard outer + depth < JSONReader.maximumDepth else { throw .tooDeep(at: at) }
                at += 1
                if try !closes(bytes, kind == .object ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    open = open << 1 | (kind == .object ? 1 : 0)
                    depth += 1
                    if kind == .object { _ = try key(bytes) }
                    isOpened = true
                }
            } else {
                try skipScalar(bytes, kind)
            }
            if isOpened { continue }
            while depth > 0 {
                let isObject = open & 1 == 1
                if try continues(bytes, isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                    if isObject { _ = try key(bytes) }
                    break
                }
                open >>= 1
                depth -= 1
            }
            if depth == 0 { return first ?? kind }
        }
    }

    private func kind(_ bytes: Span<UInt8>) throws(JSONReader.JSONError) -> JSONReader.Kind {
        switch peek(bytes) {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
        case UInt8(ascii: "n"): return .null
        case let byte? where byte == UInt8(ascii: "-") || Self.isDigit(byte): return .number
        default: throw .malformed(at: at)
        }
    }

    private mutating func skipScalar(_ bytes: Span<UInt8>, _ kind: JSONReader.Kind) throws(JSONReader
        .JSONError)
    {
        switch kind {
        case .string: try skipString(bytes)
        case .number: try skipNumber(bytes)
        case .null: try skipLiteral(bytes, "null")
        case .boolean: try skipLiteral(bytes, peek(bytes) == UInt8(ascii: "t") ? "true" : "false")
        case .object, .array: throw .malformed(at: at)
        }
    }

    private mutating func skipLiteral(
        _ bytes: Span<UInt8>, _ literal: StaticString
    ) throws(JSONReader.JSONError) {
        for character in literal.description.utf8 {
            guard peek(bytes) == character else { throw .malformed(at: at) }
            at += 1
        }
    }

    private mutating func skipNumber(_ bytes: Span<UInt8>) throws(JSONReader.JSONError) {
        if peek(bytes) == UInt8(ascii: "-") { at += 1 }
        if peek(bytes) == UInt8(ascii: "0") {
            at += 1
        } else {
            try skipDigits(bytes)
        }
        if peek(bytes) == UInt8(ascii: ".") {
            at += 1
            try skipDigits(bytes)
        }
        if let byte = peek(bytes), byte | 0x20 == UInt8(ascii: "e") {
            at += 1
            if let sign = peek(bytes), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { at += 1 }
            try skipDigits(bytes)
        }
    }

    private mutating func skipDigits(_ bytes: Span<UInt8>) throws(JSONReader.JSONError) {
        guard let byte = peek(bytes), Self.isDigit(byte) else { throw .malformed(at: at) }
        while let byte = peek(bytes), Self.isDigit(byte) { at += 1 }
    }

    private mutating func skipString(_ bytes: Span<UInt8>) throws(JSONReader.JSONError) {
        guard peek(bytes) == UInt8(ascii: "\"") else { throw .malformed(at: at) }
        at += 1
        while limit - at >= 8, bytes.needNoEscape(eightAt: at) { at += 8 }
        while at < limit {
            let byte = bytes[at]
            switch byte {
            case UInt8(ascii: "\""):
                at += 1
                return
            case UInt8(ascii: "\\"):
                try skipEscape(bytes)
            case 0x20..<0x80:
                at += 1
            case 0x80...0xFF:
                try skipMultibyte(bytes)
            default:
                throw .malformed(at: at)
            }
        }
        throw .malformed(at: limit)
    }

    private mutating func skipEscape(_ bytes: Span<UInt8>) throws(JSONReader.JSONError) {
        at += 1
        switch peek(bytes) {
        case UInt8(ascii: "u"):
            at += 1
            for _ in 0..<4 {
                guard let byte = peek(bytes), Hexadecimal.value(of: byte) != nil else {
                    throw .malformed(at: at)
                }
                at += 1
            }
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            at += 1
        default:
            throw .malformed(at: at)
        }
    }

    /// Consumes a well-formed UTF-8 sequence of two to four bytes (Unicode, table 3-7).
    private mutating func skipMultibyte(_ bytes: Span<UInt8>) throws(JSONReader.JSONError) {
        let start = at
        let lead = bytes[at]
        let count: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: count = 2
        case 0xE0...0xEF:
            count = 3
            if lead == 0xE0 { second = 0xA0...0xBF }
            if lead == 0xED { second = 0x80...0x9F }
        case 0xF0...0xF4:
            count = 4
            if lead == 0xF0 { second = 0x90...0xBF }
            if lead == 0xF4 { second = 0x80...0x8F }
        default: throw .malformed(at: start)
        }
        guard limit - at >= count, second.contains(bytes[at + 1]) else { throw .malformed(at: start) }
        for index in (at + 2)..<max(at + 2, at + count) where bytes[index] & 0xC0 != 0x80 {
            throw .malformed(at: start)
        }
        at += count
    }
}
