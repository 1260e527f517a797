import NielsenID3
import TextForms

/// The value of a field, independent of the output format.
enum TagFieldValue: Sendable, Hashable {
    /// The field does not apply to this tag: JSON omits the key, CSV has an empty cell.
    case absent
    /// The field applies but its value is unknown: `null`, or an empty cell.
    case null
    case text(String)
    case latin1([UInt8])
    case integer(UInt64)
    /// A time in Unix milliseconds, written in the format of RFC 3339.
    case time(Int64)
    case contentID(ContentID)
    case number(Double)
    case flag(Bool)
    case list([String])

    static func integer(orNull value: (some BinaryInteger)?) -> Self {
        guard let value, let whole = UInt64(exactly: value) else { return .null }
        return .integer(whole)
    }

    static func contentID(orNull value: ContentID?) -> Self { value.map(Self.contentID) ?? .null }

    static func text(orAbsent value: String?) -> Self { value.map(Self.text) ?? .absent }

    static func text(orNull value: String?) -> Self { value.map(Self.text) ?? .null }

    /// The value as a CSV cell (RFC 4180); list elements are separated by a space.
    var csvCell: String {
        switch self {
        case .absent, .null: ""
        case .text(let text): CSVField.text(text)
        case .latin1(let bytes): CSVField.text(Self.text(latin1: bytes))
        case .integer(let number): String(number)
        case .time(let milliseconds): RFC3339.text(unixMilliseconds: milliseconds)
        case .contentID(let id): id.text
        case .number(let number): number.description
        case .flag(let flag): flag ? "true" : "false"
        case .list(let list): CSVField.text(list.joined(separator: " "))
        }
    }

    /// Returns ISO-8859-1 bytes as text: each byte is the code point of its character.
    static func text(latin1 bytes: [UInt8]) -> String {
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(Unicode.Scalar(byte)) }
        return String(text)
    }
}

extension JSONWriter {
    /// Writes a key and its value, or nothing if the field is absent.
    mutating func write(_ value: TagFieldValue, for key: TagKey) {
        if case .absent = value { return }
        self.key(key.rawValue)
        write(value)
    }

    /// Writes a value, or nothing if the field is absent.
    mutating func write(_ value: TagFieldValue) {
        switch value {
        case .absent: break
        case .null: null()
        case .text(let text): self.value(text)
        case .latin1(let bytes): self.value(latin1: bytes)
        case .integer(let number): self.value(decimal: number)
        case .time(let milliseconds): self.value(time: milliseconds)
        case .contentID(let id): self.value(plain: id.characters.span)
        case .number(let number): self.value(number)
        case .flag(let flag): self.value(flag)
        case .list(let list):
            beginArray()
            for element in list { self.value(element) }
            endArray()
        }
    }
}
