import ByteReading

/// The check whether PostgreSQL's type jsonb can store the values of a record.
///
/// The type refuses a zero character and half a surrogate pair in a text. It writes every digit of a number, so that a
/// few bytes such as `1e131071` become a text that no client can read.
struct StorableJSON: Sendable {
    /// The maximum growth of all numbers of a record, in digits.
    static let growthLimit = 1 << 20
    /// The largest exponent: a Double needs fewer than 400, unless the digits of the number are written out.
    private static let largestExponent = 1_024
    /// The length up to which a number without an exponent is within the range of a Double.
    private static let shortLength = 300

    /// The growth of the numbers so far.
    private var growth = 0

    /// Checks a valid JSON value.
    mutating func check(_ source: Span<UInt8>, _ range: Range<Int>) throws(LedgerRow.NotStorable) {
        var index = range.lowerBound
        while index < range.upperBound {
            switch source[index] {
            case UInt8(ascii: "\""):
                index = try Self.endOfString(source, from: index + 1)
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                let start = index
                while index < range.upperBound, Self.isNumberByte(source[index]) { index += 1 }
                growth += try Self.growth(ofNumber: start..<index, source)
                if growth > Self.growthLimit { throw LedgerRow.NotStorable() }
            default:
                index += 1
            }
        }
    }

    // MARK: Numbers

    private static func isNumberByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    /// Returns the number of digits that a number gains, and throws an error if a Double cannot hold it.
    private static func growth(
        ofNumber range: Range<Int>, _ source: Span<UInt8>
    ) throws(LedgerRow.NotStorable) -> Int {
        let exponent = exponentStart(source, range)
        if exponent == range.upperBound, range.count <= shortLength { return 0 }
        _ = try double(source, range)
        return exponentValue(source, exponent..<range.upperBound)
    }

    /// Returns the value of a number, and throws an error if a Double cannot hold it.
    ///
    /// A zero has a small exponent, too, because the type numeric keeps the digits after its point.
    static func double(_ source: Span<UInt8>, _ range: Range<Int>) throws(LedgerRow.NotStorable) -> Double {
        let exponent = exponentStart(source, range)
        let isZero = !(range.lowerBound..<exponent).contains { index in
            (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(source[index])
        }
        guard let value = Double(text(source, range)), value.isFinite, value != 0 || isZero,
            exponentValue(source, exponent..<range.upperBound) <= largestExponent
        else { throw LedgerRow.NotStorable() }
        return value
    }

    /// Returns the position of the exponent with its letter, or of the end of the number.
    private static func exponentStart(_ source: Span<UInt8>, _ range: Range<Int>) -> Int {
        range.first { source[$0] | 0x20 == UInt8(ascii: "e") } ?? range.upperBound
    }

    /// Returns an exponent without its sign; 0 if there is none.
    private static func exponentValue(_ source: Span<UInt8>, _ range: Range<Int>) -> Int {
        if range.isEmpty { return 0 }
        let digits = text(source, range.lowerBound + 1..<range.upperBound).drop { $0 == "+" || $0 == "-" }
        return Int(digits) ?? .max
    }

    private static func text(_ source: Span<UInt8>, _ range: Range<Int>) -> String {
        var bytes: [UInt8] = []
        bytes.append(source.extracting(range))
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Texts

    /// Returns the position after a string, and throws an error for a zero character or half a surrogate pair.
    private static func endOfString(
        _ source: Span<UInt8>, from start: Int
    ) throws(LedgerRow.NotStorable) -> Int {
        var index = start
        var expectsLow = false
        // The text is valid JSON, so the string and its escapes are complete.
        while true {
            let isUnicode = source[index] == UInt8(ascii: "\\") && source[index + 1] == UInt8(ascii: "u")
            guard isUnicode else {
                if expectsLow { throw LedgerRow.NotStorable() }
                if source[index] == UInt8(ascii: "\"") { return index + 1 }
                index += source[index] == UInt8(ascii: "\\") ? 2 : 1
                continue
            }
            let unit: UInt16 = Hexadecimal.number(source, in: index + 2..<index + 6) ?? 0
            index += 6
            switch unit {
            case 0: throw LedgerRow.NotStorable()
            case 0xD800...0xDBFF where !expectsLow: expectsLow = true
            case 0xDC00...0xDFFF where expectsLow: expectsLow = false
            case 0xD800...0xDFFF: throw LedgerRow.NotStorable()
            default: if expectsLow { throw LedgerRow.NotStorable() }
            }
        }
    }
}
