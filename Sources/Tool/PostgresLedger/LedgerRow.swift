import ByteReading
import HLSPlaylist
import TextForms

/// A record as a row of its table.
struct LedgerRow: Sendable {
    /// The id of the record, as 32 hexadecimal digits.
    let id: String
    let table: RecordTable
    /// The row in the text format of COPY, with its line end.
    let bytes: [UInt8]

    /// A reason why PostgreSQL cannot store a record: a zero character or half a surrogate pair in a text.
    struct NotStorable: Error {}

    /// Creates the row of a record, a line with a valid JSON object.
    ///
    /// A member whose value does not fit its column is kept in `detail`.
    ///
    /// - Parameter now: The time for a record without any, in Unix milliseconds.
    init(id: String, _ bytes: Span<UInt8>, _ range: Range<Int>, now: Int64) throws(NotStorable) {
        var members: [(name: String, key: Range<Int>, value: Range<Int>, kind: JSONReader.Kind)] = []
        do throws(JSONReader.JSONError) {
            try JSONReader.members(of: bytes, in: range) { key, value, kind in
                members.append((JSONReader.string(bytes, in: key), key, value, kind))
            }
        } catch {
            throw NotStorable()
        }
        let kind = members.last { $0.name == "kind" && $0.kind == .string }
            .map { JSONReader.string(bytes, in: $0.value) }
        let table = RecordTable.table(kind: kind)
        var fields = [[UInt8]?](repeating: nil, count: table.columns.count)
        var times: [String: Int64] = [:]
        var detail: [UInt8] = []
        for member in members where member.name != "id" {
            // The table says the kind.
            if member.name == "kind", table.index(ofKey: "kind") == nil { continue }
            if let index = table.index(ofKey: member.name) {
                if member.kind == .null { continue }
                let field = FieldText(table.columns[index].form, bytes, member.value, member.kind)
                if let field {
                    if !field.isStorable { throw NotStorable() }
                    fields[index] = field.bytes
                    times[member.name] = field.unixMilliseconds
                    continue
                }
            }
            guard FieldText.isStorable(bytes, member.key), FieldText.isStorable(bytes, member.value) else {
                throw NotStorable()
            }
            detail.append(UInt8(ascii: detail.isEmpty ? "{" : ","))
            detail.append(contentsOf: bytes, in: member.key)
            detail.append(UInt8(ascii: ":"))
            detail.append(contentsOf: bytes, in: member.value)
        }
        if !detail.isEmpty { detail.append(UInt8(ascii: "}")) }
        let dated = table.name == "tags" ? times["first"] ?? times["program_date_time"] : times["received"]
        self.id = id
        self.table = table
        self.bytes = Self.line(
            id: id, at: dated ?? times["received"] ?? now, day: dated, fields, detail: detail)
    }

    private static func line(
        id: String, at: Int64, day: Int64?, _ fields: [[UInt8]?], detail: [UInt8]
    ) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(1_024)
        line.append(contentsOf: id.utf8)
        line.append(UInt8(ascii: "\t"))
        line.append(contentsOf: RFC3339.text(unixMilliseconds: at).utf8)
        line.append(UInt8(ascii: "\t"))
        let date = day.map {
            CivilDate(daysSince1970: CivilDate.split(unixMilliseconds: $0).daysSince1970).text
        }
        line.append(contentsOf: (date ?? "-infinity").utf8)
        for field in fields + [detail.isEmpty ? nil : detail] {
            line.append(UInt8(ascii: "\t"))
            guard let field else {
                line.append(contentsOf: "\\N".utf8)
                continue
            }
            line.append(escapedForCopy: field)
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }
}

/// The text of a column's value.
private struct FieldText {
    var bytes: [UInt8]
    /// The value of a time.
    var unixMilliseconds: Int64?

    /// Whether PostgreSQL can store the text, which it cannot with a zero character.
    var isStorable: Bool

    /// 1970-01-01T00:00:00Z to 9999-12-31T23:59:59Z: other times have no partition that could ever exist.
    private static let validTimes: Range<Int64> = 0..<253_402_300_800_000

    /// Converts a value; nil if it does not fit the form.
    init?(_ form: RecordTable.Form, _ source: Span<UInt8>, _ range: Range<Int>, _ kind: JSONReader.Kind) {
        switch (form, kind) {
        case (.text, .string):
            bytes = Array(JSONReader.string(source, in: range).utf8)
        case (.integer, .number):
            guard let value = JSONReader.integer(source, in: range) else { return nil }
            bytes = Array(String(value).utf8)
        case (.number, .number):
            let text = range.map { source[$0] }
            guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
                return nil
            }
            bytes = Array(value.description.utf8)
        case (.boolean, .boolean):
            bytes = [source[range.lowerBound]]
        case (.time, .string):
            guard
                let time = ProgramDateTime.milliseconds(
                    in: source, range.lowerBound + 1..<range.upperBound - 1), Self.validTimes.contains(time)
            else { return nil }
            bytes = Array(RFC3339.text(unixMilliseconds: time).utf8)
            unixMilliseconds = time
        case (.unixSeconds, .number):
            guard let seconds = JSONReader.integer(source, in: range) else { return nil }
            let (time, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
            guard !overflow, Self.validTimes.contains(time) else { return nil }
            bytes = Array(RFC3339.text(unixMilliseconds: time).utf8)
            unixMilliseconds = time
        case (.texts, .array):
            guard let array = Self.array(source, range) else { return nil }
            bytes = array
        case (.json, .object), (.json, .array):
            bytes = range.map { source[$0] }
            isStorable = Self.isStorable(source, range)
            return
        default: return nil
        }
        isStorable = !bytes.contains(0)
    }

    /// Returns an array of texts in PostgreSQL's form; nil if an element is not a string.
    private static func array(_ source: Span<UInt8>, _ range: Range<Int>) -> [UInt8]? {
        var bytes = [UInt8(ascii: "{")]
        var isValid = true
        do throws(JSONReader.JSONError) {
            try JSONReader.elements(of: source, in: range) { value, kind in
                guard kind == .string else {
                    isValid = false
                    return
                }
                if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
                bytes.append(UInt8(ascii: "\""))
                for byte in JSONReader.string(source, in: value).utf8 {
                    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                        bytes.append(UInt8(ascii: "\\"))
                    }
                    bytes.append(byte)
                }
                bytes.append(UInt8(ascii: "\""))
            }
        } catch {
            return nil
        }
        bytes.append(UInt8(ascii: "}"))
        return isValid ? bytes : nil
    }

    /// Returns whether jsonb can store a value: no escape in it is a zero character or half a surrogate pair.
    static func isStorable(_ source: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var index = range.lowerBound
        var expectsLow = false
        while index < range.upperBound {
            guard source[index] == UInt8(ascii: "\\") else {
                if expectsLow { return false }
                index += 1
                continue
            }
            // The text is valid JSON, so an escape is complete.
            guard source[index + 1] == UInt8(ascii: "u") else {
                if expectsLow { return false }
                index += 2
                continue
            }
            let unit: UInt16 = Hexadecimal.number(source, in: index + 2..<index + 6) ?? 0
            index += 6
            switch unit {
            case 0: return false
            case 0xD800...0xDBFF:
                if expectsLow { return false }
                expectsLow = true
            case 0xDC00...0xDFFF:
                if !expectsLow { return false }
                expectsLow = false
            default: if expectsLow { return false }
            }
        }
        return !expectsLow
    }
}

extension [UInt8] {
    fileprivate mutating func append(contentsOf source: Span<UInt8>, in range: Range<Int>) {
        for index in range { append(source[index]) }
    }

    /// Appends a field with the escapes of COPY's text format.
    fileprivate mutating func append(escapedForCopy field: [UInt8]) {
        for byte in field {
            switch byte {
            case UInt8(ascii: "\\"): append(contentsOf: "\\\\".utf8)
            case UInt8(ascii: "\t"): append(contentsOf: "\\t".utf8)
            case UInt8(ascii: "\n"): append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\r"): append(contentsOf: "\\r".utf8)
            default: append(byte)
            }
        }
    }
}
