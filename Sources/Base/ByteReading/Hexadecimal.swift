/// Conversion of bytes and numbers to and from hexadecimal digits.
@usableFromInline package enum Hexadecimal {
    /// Returns the bytes in lower-case digits, two per byte.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var digits: [UInt8] = []
        digits.reserveCapacity(2 * bytes.underestimatedCount)
        for byte in bytes {
            digits.append(digit(byte >> 4))
            digits.append(digit(byte & 0x0F))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    /// Returns the number in lower-case digits, padded with zeros to the width of its type.
    @inlinable
    package static func text<Number: FixedWidthInteger & UnsignedInteger>(of number: Number) -> String {
        unsafe String(unsafeUninitializedCapacity: Number.bitWidth / 4) { digits in
            for index in 0..<Number.bitWidth / 4 {
                let shift = Number.bitWidth - 4 - 4 * index
                // The closure writes exactly the requested capacity.
                unsafe digits[index] = digit(UInt8(truncatingIfNeeded: number >> shift) & 0x0F)
            }
            return Number.bitWidth / 4
        }
    }

    /// Returns the lower-case digit of a value below 16.
    @inlinable
    package static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + (value - 10)
    }

    /// Returns the value of a digit in either case, or nil for any other character.
    @inlinable
    package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Parses the digits in `range`, which must match the width of the type exactly; otherwise returns nil.
    @inlinable
    package static func number<Number: FixedWidthInteger & UnsignedInteger>(
        _ bytes: Span<UInt8>, in range: Range<Int>
    ) -> Number? {
        guard range.count == Number.bitWidth / 4, range.lowerBound >= 0, range.upperBound <= bytes.count
        else { return nil }
        var number: Number = 0
        for index in range {
            guard let value = value(of: bytes[index]) else { return nil }
            number = number << 4 | Number(value)
        }
        return number
    }

    /// Decodes pairs of digits to bytes; returns nil if the text contains anything else.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for character in text.utf8 {
            guard let value = value(of: character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? bytes : nil
    }
}
