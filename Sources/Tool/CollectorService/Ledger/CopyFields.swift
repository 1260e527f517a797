import ByteReading
import HLSPlaylist
import TextForms

/// Fields in the binary format of PostgreSQL's COPY: the length of each, and its value.
///
/// A value that does not fit the form of its column is not appended.
struct CopyFields {
    private(set) var bytes: [UInt8] = []
    private var storable = StorableJSON()

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Begins the row of a record: `id`, `at` and `day`, before the columns of its table and `detail`.
    mutating func startRow(_ key: LedgerRow.Key, at: Int64, columnCount: Int) {
        append(number: Int16(clamping: columnCount + 4))
        append(key.id)
        append(unixMilliseconds: at)
        append(key.day)
    }

    /// Appends the row of a receipt.
    mutating func appendReceipt(of row: LedgerRow, sender: Int32) {
        append(number: Int16(4))
        append(row.key.id)
        append(row.key.day)
        append(sender)
        append(row.hash)
    }

    mutating func append(_ fields: CopyFields) { bytes.append(fields.bytes.span) }

    mutating func appendNull() { append(number: Int32(-1)) }

    /// Appends a number, or a value with the form of one, such as a UUID.
    mutating func append(_ number: some FixedWidthInteger) {
        append(number: Int32(number.bitWidth / 8))
        append(number: number)
    }

    mutating func append(unixMilliseconds: Int64) {
        append((unixMilliseconds - Self.epoch) * 1_000)
    }

    /// The epoch of PostgreSQL, 2000-01-01T00:00:00Z, in Unix milliseconds.
    static let epoch: Int64 = 946_684_800_000

    /// The longest text in an index, in bytes; an entry has at most 2,704, with its other columns.
    private static let longestIndexedText = 2_600
    /// The largest number that the totals add up: a sum beyond the type would make the views over it fail.
    private static let largestAddend: UInt64 = 1_000_000_000_000

    /// Appends a value other than a time, and returns whether it fits the form.
    mutating func append(
        _ form: RecordTable.Form, _ source: Span<UInt8>, _ range: Range<Int>, _ kind: JSONReader.Kind
    ) throws(LedgerRow.NotStorable) -> Bool {
        switch (form, kind) {
        case (.text, .string):
            try append(textOf: range, source)
        case (.indexedText, .string):
            // Escapes in JSON are longer than their characters.
            guard range.count - 2 <= Self.longestIndexedText else { return false }
            try append(textOf: range, source)
        case (.integer, .number):
            guard let value = JSONReader.integer(source, in: range) else { return false }
            append(value)
        case (.addedInteger, .number):
            guard let value = JSONReader.integer(source, in: range), value.magnitude <= Self.largestAddend
            else { return false }
            append(value)
        case (.addedNumber, .number):
            let value = try StorableJSON.double(source, range)
            guard value.magnitude <= Double(Self.largestAddend) else { return false }
            append(value.bitPattern)
        case (.number, .number):
            append(try StorableJSON.double(source, range).bitPattern)
        case (.boolean, .boolean):
            append(source[range.lowerBound] == UInt8(ascii: "t") ? UInt8(1) : 0)
        case (.texts, .array):
            return try append(textsOf: range, source)
        case (.json, .object), (.json, .array):
            let start = startJSON()
            try append(json: range, source)
            endField(start)
        default: return false
        }
        return true
    }

    /// Appends an object of other members as the last field, or a null if there are none.
    mutating func appendDetail(
        _ members: some Sequence<(key: Range<Int>, value: Range<Int>)>, _ source: Span<UInt8>
    ) throws(LedgerRow.NotStorable) {
        var start: Int?
        for member in members {
            if start == nil {
                start = startJSON()
                bytes.append(UInt8(ascii: "{"))
            } else {
                bytes.append(UInt8(ascii: ","))
            }
            try append(json: member.key, source)
            bytes.append(UInt8(ascii: ":"))
            try append(json: member.value, source)
        }
        guard let start else {
            appendNull()
            return
        }
        bytes.append(UInt8(ascii: "}"))
        endField(start)
    }

    // MARK: Parts of fields

    private mutating func append(number: some FixedWidthInteger) {
        // The bytes are copied during the call.
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Begins a field of unknown length, and returns its start for `endField`.
    private mutating func startField() -> Int {
        append(number: Int32(0))
        return bytes.count
    }

    /// Begins a field of the type jsonb, whose text follows its version.
    private mutating func startJSON() -> Int {
        let start = startField()
        bytes.append(1)
        return start
    }

    /// Writes the length of a field.
    private mutating func endField(_ start: Int) { set(Int32(clamping: bytes.count - start), at: start - 4) }

    private mutating func set(_ number: Int32, at position: Int) {
        for index in 0..<4 {
            bytes[position + index] = UInt8(truncatingIfNeeded: number >> (24 - 8 * Int32(index)))
        }
    }

    /// Appends the text of a string.
    private mutating func append(
        textOf range: Range<Int>, _ source: Span<UInt8>
    ) throws(LedgerRow.NotStorable) {
        let content = source.extracting(range.lowerBound + 1..<range.upperBound - 1)
        if content.firstIndex(of: UInt8(ascii: "\\"), from: 0) == content.count {
            append(number: Int32(clamping: content.count))
            bytes.append(content)
            return
        }
        let text = Array(JSONReader.string(source, in: range).utf8)
        if text.contains(0) { throw LedgerRow.NotStorable() }
        append(number: Int32(clamping: text.count))
        bytes.append(text.span)
    }

    /// The number of PostgreSQL's type `text`.
    private static let textType: Int32 = 25

    /// Appends an array of one dimension, which begins at 1; returns false if an element is not a string.
    private mutating func append(
        textsOf range: Range<Int>, _ source: Span<UInt8>
    ) throws(LedgerRow.NotStorable) -> Bool {
        let start = startField()
        var count: Int32 = 0
        var isValid = true
        var isStorable = true
        for number in [1, 0, Self.textType, 0, 1] { append(number: Int32(number)) }
        do throws(JSONReader.JSONError) {
            try JSONReader.elements(of: source, in: range) { value, kind in
                guard kind == .string, isValid, isStorable else {
                    isValid = isValid && kind == .string
                    return
                }
                do throws(LedgerRow.NotStorable) {
                    try append(textOf: value, source)
                    count += 1
                } catch {
                    isStorable = false
                }
            }
        } catch {
            isValid = false
        }
        guard isValid else {
            bytes.removeSubrange((start - 4)...)
            return false
        }
        if !isStorable { throw LedgerRow.NotStorable() }
        if count == 0 {
            // An empty array has no dimension.
            set(0, at: start)
            bytes.removeLast(8)
        } else {
            set(count, at: start + 12)
        }
        endField(start)
        return true
    }

    /// Appends a value verbatim.
    private mutating func append(
        json range: Range<Int>, _ source: Span<UInt8>
    ) throws(LedgerRow.NotStorable) {
        try storable.check(source, range)
        bytes.append(source.extracting(range))
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
