import TextForms

/// A batch as it was sent, decoded: its header, and where the line of each tag is.
struct ReceivedBatch: Sendable {
    /// What a batch as a whole can have wrong with it, each a code of the error body.
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
            case .noHeader(let reason): "line 1 is no batch header: \(reason)"
            case .badLine(let number, let reason): "line \(number): \(reason)"
            case .empty: "the batch has no tags"
            case .tooManyTags(let limit): "more than \(limit) tags"
            }
        }
    }

    struct Line: Sendable, Hashable {
        let id: ReceivedID
        /// Without the line end.
        let range: Range<Int>
    }

    /// What the header says, as far as the collector uses it.
    struct Header: Sendable, Hashable {
        var store: String
        var batch: String
        var lastSequence: Int64
        let range: Range<Int>
    }

    let bytes: [UInt8]
    let header: Header
    let lines: [Line]
    /// Tags whose line is longer than any may be.
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
            // A blank line at the end is what an editor leaves; anywhere else it hides a missing tag.
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

    /// The next line from `start`, without its line end, and `start` moved past it; nil at the end.
    static func nextLine(_ bytes: Span<UInt8>, _ start: inout Int) -> Range<Int>? {
        guard start < bytes.count else { return nil }
        let first = start
        var index = first
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
        start = index + 1
        if index > first, bytes[index - 1] == UInt8(ascii: "\r") { index -= 1 }
        return first..<index
    }

    /// The id of a tag's line, which must be one whole JSON object.
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
            throw .badLine(number: number, reason: "no JSON object (\(error))")
        }
        guard let id, count == 1 else {
            throw .badLine(
                number: number, reason: count == 0 ? "no id" : "the id is not one of 32 hexadecimal digits")
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
            throw .noHeader(reason: "no JSON object (\(error))")
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
