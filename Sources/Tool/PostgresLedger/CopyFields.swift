import ByteReading
import HLSPlaylist
import TextForms

/// Fields in the text format of PostgreSQL's COPY.
///
/// A value that does not fit the form of its column is not appended.
struct CopyText {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Ends the field before the next one.
    mutating func startField() { bytes.append(UInt8(ascii: "\t")) }

    mutating func appendNull() {
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(UInt8(ascii: "N"))
    }

    mutating func append(unixMilliseconds: Int64) {
        bytes.append(addingCapacity: RFC3339.length) { room in
            RFC3339.write(unixMilliseconds: unixMilliseconds, to: &room)
        }
    }

    /// Appends a value other than a time, and returns whether it fits the form.
    mutating func append(
        _ form: RecordTable.Form, _ source: Span<UInt8>, _ range: Range<Int>, _ kind: JSONReader.Kind
    ) throws(LedgerRow.NotStorable) -> Bool {
        switch (form, kind) {
        case (.text, .string):
            try append(textOf: range, source)
        case (.integer, .number):
            guard JSONReader.integer(source, in: range) != nil else { return false }
            bytes.append(source.extracting(range))
        case (.number, .number):
            var text: [UInt8] = []
            text.append(source.extracting(range))
            guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
                return false
            }
            bytes.append(contentsOf: value.description.utf8)
        case (.boolean, .boolean):
            bytes.append(source[range.lowerBound])
        case (.texts, .array):
            guard let array = Self.array(source, range) else { return false }
            if array.contains(0) { throw LedgerRow.NotStorable() }
            append(escaping: array.span)
        case (.json, .object), (.json, .array):
            try append(json: range, source)
        default: return false
        }
        return true
    }

    /// Appends an object of other members as the last field, or a null if there are none.
    mutating func appendDetail(
        _ members: some Sequence<(key: Range<Int>, value: Range<Int>)>, _ source: Span<UInt8>
    ) throws(LedgerRow.NotStorable) {
        startField()
        var isEmpty = true
        for member in members {
            bytes.append(UInt8(ascii: isEmpty ? "{" : ","))
            isEmpty = false
            try append(json: member.key, source)
            bytes.append(UInt8(ascii: ":"))
            try append(json: member.value, source)
        }
        if isEmpty { appendNull() } else { bytes.append(UInt8(ascii: "}")) }
    }

    /// Appends the text of a string.
    private mutating func append(
        textOf range: Range<Int>, _ source: Span<UInt8>
    ) throws(LedgerRow.NotStorable) {
        // Without an escape the text has no control character, so nothing to escape for COPY either.
        guard range.contains(where: { source[$0] == UInt8(ascii: "\\") }) else {
            bytes.append(source.extracting(range.lowerBound + 1..<range.upperBound - 1))
            return
        }
        let text = Array(JSONReader.string(source, in: range).utf8)
        if text.contains(0) { throw LedgerRow.NotStorable() }
        append(escaping: text.span)
    }

    /// Appends a value verbatim.
    private mutating func append(
        json range: Range<Int>, _ source: Span<UInt8>
    ) throws(LedgerRow.NotStorable) {
        guard Self.isStorable(source, range) else { throw LedgerRow.NotStorable() }
        append(escaping: source.extracting(range))
    }

    /// Appends bytes with the escapes of COPY's text format.
    private mutating func append(escaping text: Span<UInt8>) {
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "\\"): bytes.append(contentsOf: "\\\\".utf8)
            case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
            case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
            default: bytes.append(text[index])
            }
        }
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
    private static func isStorable(_ source: Span<UInt8>, _ range: Range<Int>) -> Bool {
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

extension RecordTable.Form {
    /// 1970-01-01T00:00:00Z to 9999-12-31T23:59:59Z: other times have no partition that could ever exist.
    private static let validTimes: Range<Int64> = 0..<253_402_300_800_000

    /// Returns the time of a value; nil if the form is another one, or the value does not fit it.
    func unixMilliseconds(_ source: Span<UInt8>, _ range: Range<Int>, _ kind: JSONReader.Kind) -> Int64? {
        let time: Int64
        switch (self, kind) {
        case (.time, .string):
            guard
                let value = ProgramDateTime.milliseconds(
                    in: source, range.lowerBound + 1..<range.upperBound - 1)
            else { return nil }
            time = value
        case (.unixSeconds, .number):
            guard let seconds = JSONReader.integer(source, in: range) else { return nil }
            let (value, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
            if overflow { return nil }
            time = value
        default: return nil
        }
        return Self.validTimes.contains(time) ? time : nil
    }
}
