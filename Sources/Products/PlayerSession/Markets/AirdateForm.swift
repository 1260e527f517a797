import TextForms

/// A form in which a guide writes the original air date of a program.
public enum AirdateForm: String, Sendable, Hashable, CaseIterable {
    /// `20260110 20:00:00`.
    case basic = "YYYYMMDD HH:MI:SS"
    /// `2026011020:00:00`.
    case basicJoined = "YYYYMMDDHH:MI:SS"
    /// `20260110200000`.
    case digits = "YYYYMMDDHH24MISS"
    /// `2026-01-10T20:00:00`.
    case extended = "YYYY-MM-DDTHH:MI:SS"
    /// `2026-01-1020:00:00`.
    case extendedJoined = "YYYY-MM-DDHH:MI:SS"
    /// `2026-01-10 20:00:00`, which no guide prints, and which players pass.
    case extendedSpaced = "YYYY-MM-DD HH:MI:SS"
    /// `2026-01-10T20:00:00+02:00`.
    case zoned = "YYYY-MM-DDTHH:MI:SS±HH:MI"
    /// `01-10-2026`.
    case monthFirst = "MM-DD-YYYY"
    /// `01/10/2026`.
    case monthFirstSlashed = "MM/DD/YYYY"

    /// Returns whether a text is an existing date in the form.
    public func matches(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        var reading = AirdateReading(bytes[...])
        switch self {
        case .basic: return reading.day() && reading.skip(" ") && reading.time() && reading.isAtEnd
        case .basicJoined: return reading.day() && reading.time() && reading.isAtEnd
        case .digits: return reading.day() && reading.time(separator: "") && reading.isAtEnd
        case .extended: return reading.day("-") && reading.skip("T") && reading.time() && reading.isAtEnd
        case .extendedJoined: return reading.day("-") && reading.time() && reading.isAtEnd
        case .extendedSpaced:
            return reading.day("-") && reading.skip(" ") && reading.time() && reading.isAtEnd
        case .zoned:
            return reading.day("-") && reading.skip("T") && reading.time() && reading.zone()
                && reading.isAtEnd
        case .monthFirst: return reading.monthFirst("-") && reading.isAtEnd
        case .monthFirstSlashed: return reading.monthFirst("/") && reading.isAtEnd
        }
    }
}

/// A date that is read piece by piece; each step returns false if the piece is missing or invalid.
private struct AirdateReading {
    private var rest: ArraySlice<UInt8>

    init(_ text: ArraySlice<UInt8>) { rest = text }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    /// Reads a number of exactly this many digits.
    private mutating func number(_ count: Int) -> Int? {
        guard rest.count >= count else { return nil }
        var value = 0
        for digit in rest.prefix(count) {
            guard digit &- 0x30 < 10 else { return nil }
            value = value * 10 + Int(digit - 0x30)
        }
        rest = rest.dropFirst(count)
        return value
    }

    mutating func day(_ separator: String = "") -> Bool {
        guard let year = number(4), skip(separator), let month = number(2), skip(separator),
            let day = number(2)
        else { return false }
        return CivilDate(year: year, month: month, day: day) != nil
    }

    mutating func monthFirst(_ separator: String) -> Bool {
        guard let month = number(2), skip(separator), let day = number(2), skip(separator),
            let year = number(4)
        else { return false }
        return CivilDate(year: year, month: month, day: day) != nil
    }

    mutating func time(separator: String = ":") -> Bool {
        guard let hour = number(2), skip(separator), let minute = number(2), skip(separator),
            let second = number(2)
        else { return false }
        return hour < 24 && minute < 60 && second < 61
    }

    mutating func zone() -> Bool {
        guard skip("+") || skip("-"), let hour = number(2), skip(":"), let minute = number(2) else {
            return false
        }
        return hour < 24 && minute < 60
    }
}
