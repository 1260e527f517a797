import ByteReading
import TextForms

/// A decoded batch: its header, and the position of each tag's line.
struct ReceivedBatch: Sendable {
    /// An error that invalidates the whole batch; each has a code for the error body.
    enum Defect: Error, Sendable, Hashable {
        case noHeader(reason: String)
        case badLine(number: Int, reason: String)
        case empty
        case tooManyTags(limit: Int)

        var code: String {
            switch self {
            case .noHeader: "bad_header"
            case .badLine: "bad_line"
            case .empty: "empty_batch"
            case .tooManyTags: "too_many_tags"
            }
        }

        var message: String {
            switch self {
            case .noHeader(let reason): "line 1 is not a batch header: \(reason)"
            case .badLine(let number, let reason): "line \(number): \(reason)"
            case .empty: "the batch has no tags"
            case .tooManyTags(let limit): "more than \(limit) tags"
            }
        }
    }

    struct Line: Sendable, Hashable {
        let id: ReceivedID
        /// The bytes of the line, without the line end.
        let range: Range<Int>
    }

    /// The header members that the collector uses.
    struct Header: Sendable, Hashable {
        var store: String
        var batch: String
        var lastSequence: Int64
        let range: Range<Int>
    }

    let bytes: [UInt8]
    let header: Header
    let lines: [Line]
    /// The tags whose lines exceed the size limit.
    let oversized: [ReceivedID]

    init(_ bytes: [UInt8], settings: CollectorSettings) throws(Defect) {
        let span = bytes.span
        var start = 0
        var number = 0
        var header: Header?
        var lines: [Line] = []
        var oversized: [ReceivedID] = []
        while let range = Self.nextLine(span, &start) {
            number += 1
            // Accept a blank line at the end, which editors add; elsewhere it may hide a missing tag.
            if range.isEmpty, start >= span.count { break }
            guard header != nil else {
                header = try Self.header(span, range)
                continue
            }
            guard lines.count + oversized.count < settings.maximumTagCount else {
                throw .tooManyTags(limit: settings.maximumTagCount)
            }
            let id = try Self.identifier(span, range, number)
            if range.count > settings.maximumLineByteCount {
                oversized.append(id)
            } else {
                lines.append(Line(id: id, range: range))
            }
        }
        guard let header else { throw .noHeader(reason: "the body is empty") }
        if lines.isEmpty && oversized.isEmpty { throw .empty }
        self.bytes = bytes
        self.header = header
        self.lines = lines
        self.oversized = oversized
    }

    /// Returns the next line from `start` without its line end, and advances `start`; returns nil at the end.
    static func nextLine(_ bytes: Span<UInt8>, _ start: inout Int) -> Range<Int>? {
        guard start < bytes.count else { return nil }
        let first = start
        var index = bytes.firstIndex(of: UInt8(ascii: "\n"), from: first)
        start = index + 1
        if index > first, bytes[index - 1] == UInt8(ascii: "\r") { index -= 1 }
        return first..<index
    }

    /// Returns the ID from a tag's line, which must be one complete JSON object.
    static func identifier(
        _ bytes: Span<UInt8>, _ range: Range<Int>, _ number: Int
    ) throws(Defect) -> ReceivedID {
        var id: ReceivedID?
        var count = 0
        do throws(JSONReader.JSONError) {
            try JSONReader.members(of: bytes, in: range) { key, value, kind in
                guard JSONReader.string(bytes, in: key, is: "id") else { return }
                count += 1
                if kind == .string { id = ReceivedID(bytes, quoted: value) }
            }
        } catch {
            throw .badLine(number: number, reason: "not a JSON object (\(error))")
        }
        guard let id, count == 1 else {
            throw .badLine(
                number: number, reason: count == 0 ? "no id" : "expected one id of 32 hexadecimal digits")
        }
        return id
    }

    private static func header(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(Defect) -> Header {
        var store: String?
        var batch: String?
        var version: String?
        var first: Int64?
        var last: Int64?
        var hasLosses = false
        do throws(JSONReader.JSONError) {
            try JSONReader.members(of: bytes, in: range) { key, value, kind in
                switch (JSONReader.string(bytes, in: key), kind) {
                case ("store", .string): store = JSONReader.string(bytes, in: value)
                case ("batch", .string): batch = JSONReader.string(bytes, in: value)
                case ("version", .string): version = JSONReader.string(bytes, in: value)
                case ("first_seq", .number): first = JSONReader.integer(bytes, in: value)
                case ("last_seq", .number): last = JSONReader.integer(bytes, in: value)
                case ("losses", .object): hasLosses = true
                default: break
                }
            }
        } catch {
            throw .noHeader(reason: "not a JSON object (\(error))")
        }
        guard let store, ReceivedID(text: store) != nil else { throw .noHeader(reason: "no store id") }
        guard let batch, (16...128).contains(batch.utf8.count), batch.utf8.allSatisfy(isIdentifierByte) else {
            throw .noHeader(reason: "no batch id")
        }
        guard version != nil else { throw .noHeader(reason: "no version") }
        guard let first, let last, first <= last else { throw .noHeader(reason: "no sequence range") }
        guard hasLosses else { throw .noHeader(reason: "no losses") }
        return Header(store: store.lowercased(), batch: batch, lastSequence: last, range: range)
    }

    private static func isIdentifierByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// The 128-bit ID of a tag.
struct ReceivedID: Sendable, Hashable {
    let value: UInt128

    init(value: UInt128) { self.value = value }

    /// Parses a JSON string, including its quotation marks, of 32 hexadecimal digits.
    init?(_ bytes: Span<UInt8>, quoted range: Range<Int>) {
        guard range.count == 34,
            let value: UInt128 = Hexadecimal.number(bytes, in: range.lowerBound + 1..<range.upperBound - 1)
        else { return nil }
        self.value = value
    }

    init?(text: String) {
        let digits = Array(text.utf8)
        guard let value: UInt128 = Hexadecimal.number(digits.span, in: 0..<digits.count) else { return nil }
        self.value = value
    }

    /// The ID as 32 lowercase hexadecimal digits.
    var text: String { Hexadecimal.text(of: value) }
}
