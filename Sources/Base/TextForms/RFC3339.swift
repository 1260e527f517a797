/// Formatting of UTC times according to RFC 3339.
package enum RFC3339 {
    /// The length of a formatted time in bytes.
    package static let length = 24

    /// Formats Unix milliseconds as `2026-11-20T12:00:19.200Z`, clamped to the years 0...9999.
    package static func text(unixMilliseconds: Int64) -> String {
        String(decoding: bytes(unixMilliseconds: unixMilliseconds), as: UTF8.self)
    }

    /// Formats Unix seconds as `2026-11-20 12:00:19`, for tables whose heading states UTC.
    package static func tableText(unixSeconds: Int64) -> String {
        var digits = bytes(unixMilliseconds: clamped(unixSeconds: unixSeconds) * 1_000)
        digits[10] = UInt8(ascii: " ")
        return String(decoding: digits[..<19], as: UTF8.self)
    }

    /// Formats the time of day of Unix seconds as `12:00:19`.
    package static func clockText(unixSeconds: Int64) -> String {
        String(tableText(unixSeconds: unixSeconds).suffix(8))
    }

    private static func bytes(unixMilliseconds: Int64) -> [UInt8] {
        [UInt8](capacity: length) { write(unixMilliseconds: unixMilliseconds, to: &$0) }
    }

    /// Appends the 24 ASCII bytes of a formatted time.
    package static func write(unixMilliseconds: Int64, to room: inout OutputSpan<UInt8>) {
        let clamped = min(max(unixMilliseconds, earliest), latest)
        let (days, milliseconds) = CivilDate.split(unixMilliseconds: clamped)
        let date = CivilDate(daysSince1970: days)
        room.append(twoDigits: Int64(date.year / 100))
        room.append(twoDigits: Int64(date.year % 100))
        room.append(UInt8(ascii: "-"))
        room.append(twoDigits: Int64(date.month))
        room.append(UInt8(ascii: "-"))
        room.append(twoDigits: Int64(date.day))
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

    /// Returns the time clamped to the range that can be formatted.
    static func clamped(unixSeconds: Int64) -> Int64 {
        min(max(unixSeconds, earliest / 1_000), latest / 1_000)
    }
}
