/// Numbers at and beyond the limits of every field, for tests that put them into each field in turn.
public enum ExtremeNumbers {
    /// The numbers as texts, and texts that are not numbers.
    public static let texts = [
        "0", "1", "-1", "0.5", "4294967295", "4294967296", "9007199254740991", "9007199254740992",
        "2305843009213693951", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
        "-9223372036854775809", "18446744073709551615", "99999999999999999999999", "2147483647",
        "99999999999999.9", "1e308", "-1e308", "1e400", "nan", "inf", "-0", "0000", "",
    ]

    /// Returns the numbers that fit in a field of `bitCount` bits.
    public static func unsigned(bitCount: Int) -> [UInt64] {
        let highest = bitCount == 64 ? UInt64.max : (1 << UInt64(bitCount)) - 1
        let all: [UInt64] = [
            0, 1, 1 << 31, (1 << 31) - 1, 1 << 32, (1 << 32) - 1, 1 << 33, 1 << 53, 1 << 61, 1 << 63,
            (1 << 63) - 1, highest - 1, highest,
        ]
        return Set(all.filter { $0 <= highest }).sorted()
    }
}
