import ByteReading

/// A strict, bounded reader for untrusted JSON texts (RFC 8259).
///
/// It validates the entire text and returns the ranges of the members or elements at one level, without building a tree
/// and without recursion. A text is accepted only as a whole: it must be valid UTF-8 with standard whitespace and
/// nothing after the value.
package enum JSONReader {
    /// The maximum nesting depth.
    package static let maximumDepth = 32

    /// An error in a text, with its offset in bytes from the start of the span.
    package enum JSONError: Error, Sendable, Hashable {
        /// The text is truncated or violates the grammar.
        case malformed(at: Int)
        /// The nesting exceeds `maximumDepth`.
        case tooDeep(at: Int)
        /// The text is valid, but not of the requested kind.
        case otherKind(at: Int)
    }

    /// The kind of a value.
    package enum Kind: Sendable, Hashable {
        /// An object, including its braces.
        case object
        /// An array, including its brackets.
        case array
        /// A string, including its quotation marks.
        case string
        /// A number.
        case number
        /// `true` or `false`.
        case boolean
        /// `null`.
        case null
    }

    /// Validates that `range` contains an object and visits its members in order.
    ///
    /// Each member has the ranges of its key (including quotation marks) and value. Members are visited before the rest
    /// of the text is validated.
    package static func members(
        of bytes: Span<UInt8>, in range: Range<Int>,
        _ visit: (_ key: Range<Int>, _ value: Range<Int>, _ kind: Kind) throws(JSONError) -> Void
    ) throws(JSONError) {
        var cursor = JSONCursor(at: range.lowerBound, end: range.upperBound)
        try cursor.open(bytes, UInt8(ascii: "{"))
        if try !cursor.closes(bytes, UInt8(ascii: "}")) {
            repeat {
                let key = try cursor.key(bytes)
                let start = cursor.at
                let kind = try cursor.skipValue(bytes, depth: 1)
                try visit(key, start..<cursor.at, kind)
            } while try cursor.continues(bytes, UInt8(ascii: "}"))
        }
        try cursor.end(bytes)
    }

    /// Validates that `range` contains an array and visits its elements in order.
    package static func elements(
        of bytes: Span<UInt8>, in range: Range<Int>,
        _ visit: (_ value: Range<Int>, _ kind: Kind) throws(JSONError) -> Void
    ) throws(JSONError) {
        var cursor = JSONCursor(at: range.lowerBound, end: range.upperBound)
        try cursor.open(bytes, UInt8(ascii: "["))
        if try !cursor.closes(bytes, UInt8(ascii: "]")) {
            repeat {
                cursor.skipBlanks(bytes)
                let start = cursor.at
                let kind = try cursor.skipValue(bytes, depth: 1)
                try visit(start..<cursor.at, kind)
            } while try cursor.continues(bytes, UInt8(ascii: "]"))
        }
        try cursor.end(bytes)
    }

    /// Validates the single value in `range` completely and returns its kind.
    package static func kind(of bytes: Span<UInt8>, in range: Range<Int>) throws(JSONError) -> Kind {
        var cursor = JSONCursor(at: range.lowerBound, end: range.upperBound)
        cursor.skipBlanks(bytes)
        let kind = try cursor.skipValue(bytes, depth: 0)
        try cursor.end(bytes)
        return kind
    }

    /// Returns whether a visited string equals `text`, with escapes taken into account.
    @inlinable
    package static func string(_ bytes: Span<UInt8>, in range: Range<Int>, is text: StaticString) -> Bool {
        let count = range.count - 2
        return text.withUTF8Buffer { wanted in
            for index in 0..<wanted.count {
                guard index < count else { return false }
                let byte = bytes[range.lowerBound + 1 + index]
                // The bytes of a static string are permanent, and the loop stays within their count.
                if unsafe byte == wanted[index] { continue }
                // Up to here the text is equal, so it differs unless this byte begins an escape.
                return byte == UInt8(ascii: "\\") && string(bytes, in: range) == text.description
            }
            return count == wanted.count
        }
    }

    /// Returns the text of a visited string, with lone surrogates replaced by U+FFFD.
    package static func string(_ bytes: Span<UInt8>, in range: Range<Int>) -> String {
        let content = bytes.extracting(range.lowerBound + 1..<range.upperBound - 1)
        if content.firstIndex(of: UInt8(ascii: "\\"), from: 0) == content.count {
            // The closure only reads the buffer, and the span outlives it.
            return unsafe content.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        }
        var units: [UInt8] = []
        var surrogates: [UInt16] = []
        var index = range.lowerBound + 1
        let end = range.upperBound - 1
        while index < end {
            var byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\\"), index < end {
                byte = bytes[index]
                index += 1
                if byte == UInt8(ascii: "u"), index + 4 <= end {
                    surrogates.append(hexadecimal(bytes, index))
                    index += 4
                    continue
                }
                byte = unescaped(byte)
            }
            flush(&surrogates, into: &units)
            units.append(byte)
        }
        flush(&surrogates, into: &units)
        return String(decoding: units, as: UTF8.self)
    }

    /// Returns the value of a visited number, or nil if it is not an integer or does not fit.
    package static func integer(_ bytes: Span<UInt8>, in range: Range<Int>) -> Int64? {
        var value: Int64 = 0
        var isNegative = false
        for index in range {
            if index == range.lowerBound, bytes[index] == UInt8(ascii: "-") {
                isNegative = true
                continue
            }
            guard JSONCursor.isDigit(bytes[index]) else { return nil }
            let digit = Int64(bytes[index] - UInt8(ascii: "0"))
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, over) = tens.addingReportingOverflow(isNegative ? -digit : digit)
            if overflow || over { return nil }
            value = sum
        }
        return value
    }

    /// Returns the value of a visited number; infinite if it is out of range.
    package static func number(_ bytes: Span<UInt8>, in range: Range<Int>) -> Double {
        // -0 has a sign that no integer has.
        if let whole = integer(bytes, in: range), whole != 0 || bytes[range.lowerBound] != UInt8(ascii: "-") {
            return Double(whole)
        }
        // Borrowed, as for a string.
        let text = unsafe bytes.extracting(range).withUnsafeBufferPointer {
            unsafe String(decoding: $0, as: UTF8.self)
        }
        return Double(text) ?? .nan
    }

    private static func flush(_ surrogates: inout [UInt16], into units: inout [UInt8]) {
        if surrogates.isEmpty { return }
        units.append(contentsOf: String(decoding: surrogates, as: UTF16.self).utf8)
        surrogates.removeAll()
    }

    private static func hexadecimal(_ bytes: Span<UInt8>, _ start: Int) -> UInt16 {
        var value: UInt16 = 0
        for index in start..<(start + 4) {
            // The cursor has already validated the digits.
            value = value << 4 | UInt16(Hexadecimal.value(of: bytes[index]) ?? 0)
        }
        return value
    }

    private static func unescaped(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: byte
        }
    }
}
