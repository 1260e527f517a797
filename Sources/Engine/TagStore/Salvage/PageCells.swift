internal import ByteReading

/// The cells of a table or index page, read without SQLite (SQLite file format, sections 1.6 and 2.1).
///
/// Accepts any bytes and skips invalid cells.
struct PageCells {
    /// A cell: a table row or an index entry.
    struct Cell: Sendable, Hashable {
        /// The row id; 0 in an index.
        let rowID: Int64
        /// The size of the complete payload.
        let payloadByteCount: Int
        /// The range of the payload's part on this page.
        let local: Range<Int>
        /// The first overflow page; 0 for none.
        let overflowPage: Int
    }

    /// The maximum payload of any row in a store.
    static let maximumPayloadByteCount = 1 << 17
    /// The usable size of a page: stores do not reserve space at its end.
    private static let usable = StoreBudget.pageByteCount

    /// Whether the cells are table rows rather than index entries.
    let isTable: Bool
    private(set) var cells: [Cell] = []
    /// Whether all cells on the page are valid.
    private(set) var areComplete = true

    /// Reads the cells of a page; nil if it is not a tree page, or has no payload.
    init?(_ page: Span<UInt8>, number: Int) {
        let header = number == 1 ? 100 : 0
        let type = page.byte(at: header)
        guard type == 0x0D || type == 0x0A || type == 0x02 else { return nil }
        isTable = type == 0x0D
        let isInterior = type == 0x02
        let pointers = header + (isInterior ? 12 : 8)
        let count = Int(page.bigEndianUInt16(at: header + 3))
        guard pointers + count * 2 <= page.count else { return nil }
        for index in 0..<count {
            let start = Int(page.bigEndianUInt16(at: pointers + index * 2)) + (isInterior ? 4 : 0)
            if let cell = Self.cell(in: page, at: start, isRow: isTable) {
                cells.append(cell)
            } else {
                areComplete = false
            }
        }
    }

    private static func cell(in page: Span<UInt8>, at start: Int, isRow: Bool) -> Cell? {
        var position = start
        guard let size = varint(in: page, at: &position), (1...Int64(maximumPayloadByteCount)).contains(size)
        else { return nil }
        var rowID: Int64 = 0
        if isRow {
            guard let read = varint(in: page, at: &position) else { return nil }
            rowID = read
        }
        let payloadByteCount = Int(size)
        let most = isRow ? usable - 35 : (usable - 12) * 64 / 255 - 23
        var localCount = payloadByteCount
        if payloadByteCount > most {
            let least = (usable - 12) * 32 / 255 - 23
            localCount = least + (payloadByteCount - least) % (usable - 4)
            if localCount > most { localCount = least }
        }
        let end = position + localCount
        guard localCount < payloadByteCount else {
            guard end <= page.count else { return nil }
            return Cell(
                rowID: rowID, payloadByteCount: payloadByteCount, local: position..<end, overflowPage: 0)
        }
        guard end + 4 <= page.count else { return nil }
        return Cell(
            rowID: rowID, payloadByteCount: payloadByteCount, local: position..<end,
            overflowPage: Int(page.bigEndianUInt32(at: end)))
    }

    /// Reads a varint of one to nine bytes: seven bits per byte, and eight in the ninth (section 1.6).
    static func varint(in bytes: Span<UInt8>, at position: inout Int) -> Int64? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard position < bytes.count else { return nil }
            let byte = bytes.byte(at: position)
            position += 1
            if index == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { break }
        }
        return Int64(bitPattern: value)
    }
}

/// The columns of a record (SQLite file format, section 2.1).
struct RecordColumns {
    enum Column: Sendable, Hashable {
        case null
        case integer(Int64)
        /// The range of a text or a blob.
        case bytes(Range<Int>)
    }

    private(set) var columns: [Column] = []

    /// Decodes the columns of a payload; nil if it cannot be a record of a store.
    init?(_ payload: Span<UInt8>) {
        var position = 0
        guard let headerByteCount = PageCells.varint(in: payload, at: &position),
            (Int64(position)...Int64(payload.count)).contains(headerByteCount)
        else { return nil }
        let header = payload.extracting(0..<Int(headerByteCount))
        var body = Int(headerByteCount)
        while position < header.count {
            guard let type = PageCells.varint(in: header, at: &position),
                let column = Self.column(ofType: type, in: payload, at: &body)
            else { return nil }
            columns.append(column)
        }
    }

    private static func column(ofType type: Int64, in payload: Span<UInt8>, at position: inout Int) -> Column?
    {
        switch type {
        case 0: return .null
        case 8, 9: return .integer(type - 8)
        case 1...6:
            let byteCount = [1, 2, 3, 4, 6, 8][Int(type) - 1]
            guard position + byteCount <= payload.count else { return nil }
            var value: Int64 = payload.byte(at: position) >= 0x80 ? -1 : 0
            for index in position..<position + byteCount {
                value = value << 8 | Int64(payload.byte(at: index))
            }
            position += byteCount
            return .integer(value)
        case 12...:
            let byteCount = (type - 12) / 2
            guard byteCount <= Int64(payload.count - position) else { return nil }
            defer { position += Int(byteCount) }
            return .bytes(position..<position + Int(byteCount))
        default: return nil
        }
    }

    var count: Int { columns.count }

    /// Returns the integer in a column; nil for other types.
    func integer(_ index: Int) -> Int64? {
        if case .integer(let value) = columns[index] { value } else { nil }
    }

    /// Returns the range of the text or blob in a column; nil for other types.
    func bytes(_ index: Int) -> Range<Int>? {
        if case .bytes(let range) = columns[index] { range } else { nil }
    }
}
