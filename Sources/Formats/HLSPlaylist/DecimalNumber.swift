import ByteReading

/// Parsing of the numbers in a playlist (RFC 8216, 4.2).
extension Span<UInt8> {
    /// Parses a decimal integer that fills the range.
    ///
    /// Returns nil if there are other characters or the value exceeds `PlaylistNumber.maximumInteger`.
    func decimalInteger(in range: Range<Int>) -> Int? {
        guard !range.isEmpty else { return nil }
        var value = 0
        for index in range {
            let digit = Int(self[index]) - 0x30
            guard (0...9).contains(digit) else { return nil }
            value = value * 10 + digit
            guard value <= PlaylistNumber.maximumInteger else { return nil }
        }
        return value
    }

    /// Parses a decimal number at the start of the range, with or without a fraction, and returns it with its end.
    ///
    /// Returns nil if there are no digits or the value exceeds `PlaylistNumber.maximumSeconds`. Digits of the fraction
    /// beyond the precision of `Double` are ignored.
    func decimalNumber(in range: Range<Int>) -> (value: Double, end: Int)? {
        var mantissa: UInt64 = 0
        var scale = 1.0
        var index = range.lowerBound
        var digitCount = 0
        while index < range.upperBound, case let digit = self[index] &- 0x30, digit <= 9 {
            guard mantissa < 100_000_000_000_000 else { return nil }
            mantissa = mantissa * 10 + UInt64(digit)
            digitCount += 1
            index += 1
        }
        if index < range.upperBound, self[index] == 0x2E {
            index += 1
            while index < range.upperBound, case let digit = self[index] &- 0x30, digit <= 9 {
                // A mantissa below 2^53 is exact in a Double, so the quotient is correctly rounded.
                if mantissa < 900_719_925_474_099 {
                    mantissa = mantissa * 10 + UInt64(digit)
                    scale *= 10
                }
                digitCount += 1
                index += 1
            }
        }
        let value = Double(mantissa) / scale
        guard digitCount > 0, value <= Double(PlaylistNumber.maximumSeconds) else { return nil }
        return (value, index)
    }

    /// Parses a decimal number that fills the range.
    func decimalNumber(filling range: Range<Int>) -> Double? {
        guard let number = decimalNumber(in: range), number.end == range.upperBound else { return nil }
        return number.value
    }

    /// Parses sixteen bytes written as `0x` and hexadecimal digits, padded with zeros on the left (4.3.2.4).
    func initializationVector(in range: Range<Int>) -> [UInt8]? {
        guard range.count > 2, range.count <= 34, self[range.lowerBound] == 0x30,
            self[range.lowerBound + 1] | 0x20 == 0x78
        else { return nil }
        var vector = [UInt8](repeating: 0, count: 16)
        var place = 31
        for index in (range.lowerBound + 2..<range.upperBound).reversed() {
            guard let digit = Hexadecimal.value(of: self[index]) else { return nil }
            vector[place / 2] |= place % 2 == 1 ? digit : digit << 4
            place -= 1
        }
        return vector
    }
}
