/// Times of the civil calendar in UTC, as RFC 3339 writes them.
package enum RFC3339 {
    /// How many bytes a text has.
    static let length = 24

    /// Unix milliseconds as `2026-11-20T12:00:19.200Z`; years outside 0...9999 are held at the nearest one.
    package static func text(unixMilliseconds: Int64) -> String {
        String(decoding: bytes(unixMilliseconds: unixMilliseconds), as: UTF8.self)
    }

    /// Unix seconds as `2026-11-20 12:00:19`, for tables that say UTC in their heading.
    package static func tableText(unixSeconds: Int64) -> String {
        var digits = bytes(unixMilliseconds: unixSeconds * 1_000)
        digits[10] = UInt8(ascii: " ")
        return String(decoding: digits[..<19], as: UTF8.self)
    }

    private static func bytes(unixMilliseconds: Int64) -> [UInt8] {
        [UInt8](capacity: length) { write(unixMilliseconds: unixMilliseconds, to: &$0) }
    }

    /// Appends the 24 ASCII bytes of the text for Unix milliseconds.
    static func write(unixMilliseconds: Int64, to room: inout OutputSpan<UInt8>) {
        let clamped = min(max(unixMilliseconds, earliest), latest)
        let milliseconds = floorModulo(clamped, 86_400_000)
        let days = (clamped - milliseconds) / 86_400_000
        let date = civilDate(daysSinceEpoch: days)
        room.append(twoDigits: date.year / 100)
        room.append(twoDigits: date.year % 100)
        room.append(UInt8(ascii: "-"))
        room.append(twoDigits: date.month)
        room.append(UInt8(ascii: "-"))
        room.append(twoDigits: date.day)
        room.append(UInt8(ascii: "T"))
        room.append(twoDigits: milliseconds / 3_600_000)
        room.append(UInt8(ascii: ":"))
        room.append(twoDigits: milliseconds / 60_000 % 60)
        room.append(UInt8(ascii: ":"))
        room.append(twoDigits: milliseconds / 1_000 % 60)
        room.append(UInt8(ascii: "."))
        room.append(twoDigits: milliseconds % 1_000 / 10)
        room.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: milliseconds % 10))
        room.append(UInt8(ascii: "Z"))
    }

    /// 0000-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z.
    private static let earliest: Int64 = -62_167_219_200_000
    private static let latest: Int64 = 253_402_300_799_999

    /// Counts in eras of 400 years, of which each has the same 146,097 days, from 1 March so that the leap day
    /// is the last of its year.
    private static func civilDate(daysSinceEpoch: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let daysSinceMarch = daysSinceEpoch + 719_468
        let dayOfEra = floorModulo(daysSinceMarch, 146_097)
        let era = (daysSinceMarch - dayOfEra) / 146_097
        let leapDays = dayOfEra / 1_460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leapDays) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func floorModulo(_ value: Int64, _ modulus: Int64) -> Int64 {
        let remainder = value % modulus
        return remainder < 0 ? remainder + modulus : remainder
    }
}
