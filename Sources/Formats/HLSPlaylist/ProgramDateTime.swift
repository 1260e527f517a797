import TextForms

/// Dates of EXT-X-PROGRAM-DATE-TIME, in the ISO 8601 form that RFC 8216, 4.3.2.6 requires and in common variants.
///
/// The standard form is `2010-02-19T14:54:23.031+08:00`. The following variants are accepted:
///
/// - `t`, `_` or a blank instead of `T`
/// - no separators (`20100219T145423`), no seconds, or a decimal comma
/// - an offset as `+0800`, `+08` or `-08:00`, with or without a blank before it
/// - `z`, or no offset at all, which means UTC
/// - a second of 60
package enum ProgramDateTime {
    /// Parses the date in the range as Unix milliseconds, rounded to the nearest; returns nil if it is invalid.
    package static func milliseconds(in bytes: Span<UInt8>, _ range: Range<Int>) -> Int64? {
        var scanner = DateScanner(position: range.lowerBound, end: range.upperBound)
        guard let year = scanner.digits(4, in: bytes) else { return nil }
        scanner.skip(0x2D, in: bytes)
        guard let month = scanner.digits(2, in: bytes) else { return nil }
        scanner.skip(0x2D, in: bytes)
        guard let day = scanner.digits(2, in: bytes),
            let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        guard scanner.skipDateSeparator(in: bytes) else { return nil }
        guard let hour = scanner.digits(2, in: bytes), hour <= 24 else { return nil }
        scanner.skip(0x3A, in: bytes)
        guard let minute = scanner.digits(2, in: bytes), minute <= 59 else { return nil }
        scanner.skip(0x3A, in: bytes)
        let second = scanner.digits(2, in: bytes) ?? 0
        guard second <= 60 else { return nil }
        guard let thousandths = scanner.fraction(in: bytes) else { return nil }
        guard hour < 24 || (minute == 0 && second == 0 && thousandths == 0) else { return nil }
        guard let offset = scanner.offsetMinutes(in: bytes), scanner.isAtEnd else { return nil }
        // The year has four digits, so the sum fits in Int64.
        let minutes = (Int(date.daysSince1970) * 24 + hour) * 60 + minute - offset
        return Int64((minutes * 60 + second) * 1_000 + thousandths)
    }
}

/// A cursor over the characters of a date.
private struct DateScanner {
    var position: Int
    let end: Int

    var isAtEnd: Bool { position == end }

    /// Reads exactly `count` digits.
    mutating func digits(_ count: Int, in bytes: Span<UInt8>) -> Int? {
        guard end - position >= count else { return nil }
        var value = 0
        for index in position..<position + count {
            let digit = Int(bytes[index]) - 0x30
            guard (0...9).contains(digit) else { return nil }
            value = value * 10 + digit
        }
        position += count
        return value
    }

    mutating func skip(_ byte: UInt8, in bytes: Span<UInt8>) {
        if position < end, bytes[position] == byte { position += 1 }
    }

    mutating func skipDateSeparator(in bytes: Span<UInt8>) -> Bool {
        guard position < end else { return false }
        switch bytes[position] {
        case 0x54, 0x74, 0x20, 0x5F:
            position += 1
            return true
        default: return false
        }
    }

    /// Reads a fraction of a second in thousandths; returns 0 without one, and nil for a point without digits.
    mutating func fraction(in bytes: Span<UInt8>) -> Int? {
        guard position < end, bytes[position] == 0x2E || bytes[position] == 0x2C else { return 0 }
        position += 1
        var thousandths = 0
        var scale = 100
        var count = 0
        while position < end, case let digit = bytes[position] &- 0x30, digit <= 9 {
            thousandths += Int(digit) * scale
            // The fourth digit determines the rounding.
            if count == 3, digit >= 5 { thousandths += 1 }
            scale /= 10
            count += 1
            position += 1
        }
        return count > 0 ? thousandths : nil
    }

    /// Reads the offset from UTC in minutes; returns 0 if there is none.
    mutating func offsetMinutes(in bytes: Span<UInt8>) -> Int? {
        while position < end, bytes[position] == 0x20 { position += 1 }
        guard position < end else { return 0 }
        let sign = bytes[position]
        position += 1
        if sign | 0x20 == 0x7A { return 0 }
        guard sign == 0x2B || sign == 0x2D, let hours = digits(2, in: bytes), hours <= 23 else { return nil }
        skip(0x3A, in: bytes)
        var minutes = 0
        if position < end {
            guard let stated = digits(2, in: bytes), stated <= 59 else { return nil }
            minutes = stated
        }
        return (hours * 60 + minutes) * (sign == 0x2D ? -1 : 1)
    }
}

/// The date of the next segment, computed from the last stated date and the durations since.
struct ProgramCalendar {
    private var stated: Int64?
    private var elapsedSeconds = 0.0

    /// The date in Unix milliseconds; nil if none is stated.
    var milliseconds: Int64? {
        guard let stated else { return nil }
        // Above 10^12 s the date is meaningless, and the limit keeps the conversion to Int64 safe.
        guard elapsedSeconds < 1e12 else { return nil }
        return stated + Int64((elapsedSeconds * 1_000).rounded())
    }

    mutating func set(_ milliseconds: Int64) {
        stated = milliseconds
        elapsedSeconds = 0
    }

    mutating func advance(seconds: Double) { elapsedSeconds += seconds }

    mutating func reset() { stated = nil }
}
