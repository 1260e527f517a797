import ByteReading

/// A strict, bounded reader of JSON texts that others wrote (RFC 8259).
///
/// It checks the whole text and hands out where the members and elements of one level are; it builds nothing and
/// does not recurse. A text is bad as a whole or good as a whole: UTF-8 is checked, blanks are those of the
/// standard, and nothing may follow the value.
package enum JSONReader {
    /// How deep values may be nested.
    package static let maximumDepth = 32

    /// What is wrong with a text, and where, in bytes from the start of the span.
    package enum JSONError: Error, Sendable, Hashable {
        /// The text breaks the grammar, or ends too soon.
        case malformed(at: Int)
        /// Values are nested deeper than `maximumDepth`.
        case tooDeep(at: Int)
        /// The text is good, and not the kind of value that was asked for.
        case otherKind(at: Int)
    }

    /// What a value is.
    package enum Kind: Sendable, Hashable {
        /// An object, braces included.
        case object
        /// An array, brackets included.
        case array
        /// A string, quotation marks included.
        case string
        /// A number.
        case number
        /// `true` or `false`.
        case boolean
        /// `null`.
        case null
    }

    /// Checks that `range` holds one object, and visits its members in order, each with the ranges of its key
    /// (with quotation marks) and value.
    ///
    /// Members are visited before the end of the text is known to be good.
    package static func members(
        of bytes: Span<UInt8>, in range: Range<Int>,
        _ visit: (_ key: Range<Int>, _ value: Range<Int>, _ kind: Kind) -> Void
    ) throws(JSONError) {
        var cursor = JSONCursor(at: range.lowerBound, end: range.upperBound)
        try cursor.open(bytes, UInt8(ascii: "{"))
        if try !cursor.closes(bytes, UInt8(ascii: "}")) {
            repeat {
                let key = try cursor.key(bytes)
                let start = cursor.at
                let kind = try cursor.skipValue(bytes, depth: 1)
                visit(key, start..<cursor.at, kind)
            } while try cursor.continues(bytes, UInt8(ascii: "}"))
        }
        try cursor.end(bytes)
    }

    /// Checks that `range` holds one array, and visits its elements in order.
    package static func elements(
        of bytes: Span<UInt8>, in range: Range<Int>, _ visit: (_ value: Range<Int>, _ kind: Kind) -> Void
    ) throws(JSONError) {
        var cursor = JSONCursor(at: range.lowerBound, end: range.upperBound)
        try cursor.open(bytes, UInt8(ascii: "["))
        if try !cursor.closes(bytes, UInt8(ascii: "]")) {
            repeat {
                cursor.skipBlanks(bytes)
                let start = cursor.at
                let kind = try cursor.skipValue(bytes, depth: 1)
                visit(start..<cursor.at, kind)
            } while try cursor.continues(bytes, UInt8(ascii: "]"))
        }
        try cursor.end(bytes)
    }

    /// The kind of the one value in `range`, which is checked whole.
    package static func kind(of bytes: Span<UInt8>, in range: Range<Int>) throws(JSONError) -> Kind {
        var cursor = JSONCursor(at: range.lowerBound, end: range.upperBound)
        cursor.skipBlanks(bytes)
        let kind = try cursor.skipValue(bytes, depth: 0)
        try cursor.end(bytes)
        return kind
    }

    /// Whether a string that was visited spells `text`, however it is escaped.
    package static func string(_ bytes: Span<UInt8>, in range: Range<Int>, is text: StaticString) -> Bool {
        let count = range.count - 2
        var isEscaped = false
        for index in range where bytes[index] == UInt8(ascii: "\\") { isEscaped = true }
        if isEscaped { return string(bytes, in: range) == text.description }
        guard count == text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { wanted in
            // A static string's bytes are there for good; the loop stays within their count.
            for index in 0..<count where unsafe wanted[index] != bytes[range.lowerBound + 1 + index] {
                return false
            }
            return true
        }
    }

    /// The text of a string that was visited; a lone surrogate becomes U+FFFD.
    package static func string(_ bytes: Span<UInt8>, in range: Range<Int>) -> String {
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

    /// The value of a number that was visited and is whole and fits; nil otherwise.
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

    private static func flush(_ surrogates: inout [UInt16], into units: inout [UInt8]) {
        if surrogates.isEmpty { return }
        units.append(contentsOf: String(decoding: surrogates, as: UTF16.self).utf8)
        surrogates.removeAll()
    }

    private static func hexadecimal(_ bytes: Span<UInt8>, _ start: Int) -> UInt16 {
        var value: UInt16 = 0
        for index in start..<(start + 4) {
            // The cursor has seen that they are digits.
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
