import TextForms

/// The forms in which the guides write the original air date of a program.
///
///     YYYYMMDD HH:MM:SS      YYYYMMDDHH:MM:SS     YYYY-MM-DDTHH:MM:SS    YYYY-MM-DDHH:MM:SS
///     YYYY-MM-DD HH:MM:SS    …+HH:MM or …-HH:MM   MM-DD-YYYY             MM/DD/YYYY
enum AirdateText {
    /// Whether a text is an existing date in one of the forms.
    static func isValid(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        // The longest form, with a time zone, has fewer bytes.
        guard bytes.count <= 26 else { return false }
        return isMonthFirst(bytes[...]) || isYearFirst(bytes[...])
    }

    private static func isMonthFirst(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count == 10, text[2] == text[5], text[2] == 0x2D || text[2] == 0x2F else { return false }
        return isDay(year: text[6...9], month: text[0...1], day: text[3...4])
    }

    private static func isYearFirst(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count >= 8 else { return false }
        var rest: ArraySlice<UInt8>
        if text[4] == 0x2D {
            guard text.count >= 10, text[7] == 0x2D,
                isDay(year: text[0...3], month: text[5...6], day: text[8...9])
            else { return false }
            rest = text.dropFirst(10)
        } else {
            guard isDay(year: text[0...3], month: text[4...5], day: text[6...7]) else { return false }
            rest = text.dropFirst(8)
        }
        if rest.first == 0x54 || rest.first == 0x20 { rest = rest.dropFirst() }
        guard rest.count >= 8 else { return false }
        return isTime(rest.prefix(8)) && isZone(rest.dropFirst(8))
    }

    private static func isDay(
        year: ArraySlice<UInt8>, month: ArraySlice<UInt8>, day: ArraySlice<UInt8>
    ) -> Bool {
        guard let year = number(year), let month = number(month), let day = number(day) else { return false }
        return CivilDate(year: year, month: month, day: day) != nil
    }

    private static func isTime(_ text: ArraySlice<UInt8>) -> Bool {
        let start = text.startIndex
        guard text[start + 2] == 0x3A, text[start + 5] == 0x3A, let hour = number(text[start..<start + 2]),
            let minute = number(text[start + 3..<start + 5]), let second = number(text[start + 6..<start + 8])
        else { return false }
        return hour < 24 && minute < 60 && second < 61
    }

    private static func isZone(_ text: ArraySlice<UInt8>) -> Bool {
        guard let sign = text.first else { return true }
        let start = text.startIndex
        guard sign == 0x2B || sign == 0x2D, text.count == 6, text[start + 3] == 0x3A,
            let hour = number(text[start + 1..<start + 3]), let minute = number(text[start + 4..<start + 6])
        else { return false }
        return hour < 24 && minute < 60
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for digit in digits {
            guard digit &- 0x30 < 10 else { return nil }
            value = value * 10 + Int(digit - 0x30)
        }
        return value
    }
}
