internal import ByteReading
internal import HostSystem

/// The readable content of a damaged database.
///
/// SQLite follows a tree from its root, so one damaged page hides every row below it. This class reads each page
/// separately and accepts only content with a valid checksum. Freed pages contain no rows, because SQLite overwrites
/// deleted content with zeros (`secure_delete`).
final class DamagedDatabase {
    /// The intact values of `meta` that have a known key.
    private(set) var meta: [String: [UInt8]] = [:]
    /// The schema statements on the first page; nil if it is damaged.
    private(set) var schema: [String]?
    /// The intact dead letters.
    private(set) var deadLetters: [(row: StoredRow, code: String, refused: Int64)] = []

    private let pages: DatabasePages
    /// The locations of the intact tags.
    private var locations: [(page: Int, cell: PageCells.Cell)] = []
    /// Intact rows on pages that are not part of the current database.
    private var hiddenRows: [StoredRow] = []
    private var lastPage: (number: Int, bytes: [UInt8]) = (0, [])

    /// Reads all pages.
    ///
    /// The files may be renamed afterwards, but not removed.
    init(database: String, log: String) throws(SystemError) {
        pages = try DatabasePages(database: database, log: log)
        for number in 1...max(1, pages.count) {
            guard let page = pages.page(number) else { continue }
            let found = PageCells(page.span, number: number)
            if number == 1 {
                schema = found.flatMap { readSchema($0, on: page) }
            } else if let found {
                read(found, on: page, number: number)
            }
        }
        locations.sort { $0.cell.rowID < $1.cell.rowID }
        // A page that was copied over another one makes its rows appear twice. A dead letter may also still appear as a
        // tag.
        let dead = Set(deadLetters.map(\.row.fields.sequence))
        var last: Int64 = -1
        locations.removeAll { _, cell in
            defer { last = cell.rowID }
            return cell.rowID == last || dead.contains(cell.rowID)
        }
    }

    /// Whether any content identifies the database as a store's.
    var isOfAStore: Bool {
        !locations.isEmpty || !meta.isEmpty || !deadLetters.isEmpty || schema == TagDatabase.statements
    }

    /// Returns the highest sequence of an intact tag in the frames of a log, or 0 if there is none.
    static func highestSequence(inLog path: String) -> Int64 {
        let log: LogFrames
        do throws(SystemError) {
            log = try DatabasePages.log(at: path)
        } catch {
            return 0
        }
        var highest: Int64 = 0
        for index in 0..<log.frameCount {
            let page = log.page(ofFrame: index)
            guard let found = PageCells(page.span, number: 0), found.isTable else { continue }
            for cell in found.cells where cell.rowID > highest && cell.overflowPage == 0 {
                if row(of: Array(page[cell.local]), number: cell.rowID) != nil { highest = cell.rowID }
            }
        }
        return highest
    }

    /// Returns a number of `meta`; nil if it is missing or damaged.
    func number(_ key: String) -> Int64? { meta[key].flatMap { Int64(String(decoding: $0, as: UTF8.self)) } }

    /// The number of intact tags.
    var tagCount: Int { locations.count }

    /// The last sequence of an intact tag, or 0 if there is none.
    var lastSequence: Int64 { locations.last?.cell.rowID ?? 0 }

    /// Reads missing tags from pages that SQLite ignores.
    ///
    /// Such pages are log frames after a damaged one, and file pages whose newer copy is in the intact part of the log.
    /// These pages also contain rows that were deleted since. The oldest tags are deleted first, so only the newest
    /// `count` rows are kept.
    ///
    /// - Parameters:
    ///   - highest: The last committed sequence.
    ///   - count: The number of missing tags.
    func readHiddenRows(upTo highest: Int64, count: Int64) {
        guard count > 0 else { return }
        let known = Set(locations.map(\.cell.rowID)).union(deadLetters.map(\.row.fields.sequence))
        var found: [Int64: StoredRow] = [:]
        for page in pages.hiddenPages() {
            guard let cells = PageCells(page.span, number: 0), cells.isTable else { continue }
            for cell in cells.cells where cell.rowID <= highest && !known.contains(cell.rowID) {
                guard found[cell.rowID] == nil, let payload = payload(of: cell, on: page) else { continue }
                found[cell.rowID] = Self.row(of: payload, number: cell.rowID)?.row
            }
        }
        hiddenRows = found.values.sorted { $0.fields.sequence < $1.fields.sequence }.suffix(
            Int(clamping: count))
    }

    /// Visits the intact tags after a sequence in order, one step at a time.
    func visitTags<Failure: Error>(
        after sequence: Int64, stepByteCount: Int, _ visit: ([StoredRow]) throws(Failure) -> Void
    ) throws(Failure) {
        var step: [StoredRow] = []
        var byteCount = 0
        var hidden = hiddenRows.drop { $0.fields.sequence <= sequence }
        for (page, cell) in locations where cell.rowID > sequence {
            guard let row = row(of: cell, onPage: page) else { continue }
            var next = [row]
            while let first = hidden.first, first.fields.sequence < cell.rowID {
                next.insert(hidden.removeFirst(), at: next.count - 1)
            }
            for row in next {
                step.append(row)
                byteCount += row.byteCount
            }
            if step.count >= StoreBudget.deletionStep || byteCount >= stepByteCount {
                try visit(step)
                step.removeAll(keepingCapacity: true)
                byteCount = 0
            }
        }
        try visit(step + hidden)
    }

    // MARK: Pages

    private func read(_ found: PageCells, on page: [UInt8], number: Int) {
        for cell in found.cells {
            guard let payload = payload(of: cell, on: page) else { continue }
            if !found.isTable {
                readMeta(payload)
            } else if let (row, columns) = Self.row(of: payload, number: cell.rowID) {
                if columns.count == TagTable.columnCount {
                    locations.append((number, cell))
                } else if let code = columns.bytes(8), let refused = columns.integer(9) {
                    deadLetters.append((row, String(decoding: payload[code], as: UTF8.self), refused))
                }
            }
        }
    }

    private func readSchema(_ found: PageCells, on page: [UInt8]) -> [String]? {
        guard found.isTable, found.areComplete else { return nil }
        var statements: [String] = []
        for cell in found.cells {
            // Type, name, table, root page and statement (section 2.6).
            guard let payload = payload(of: cell, on: page), let columns = RecordColumns(payload.span),
                columns.count == 5, let statement = columns.bytes(4)
            else { return nil }
            statements.append(String(decoding: payload[statement], as: UTF8.self))
        }
        return statements
    }

    private func readMeta(_ payload: [UInt8]) {
        guard let columns = RecordColumns(payload.span), columns.count == 3, let key = columns.bytes(0),
            let value = columns.bytes(1), let checksum = columns.integer(2)
        else { return }
        let name = String(decoding: payload[key], as: UTF8.self)
        guard Self.isKnown(name) else { return }
        if MetaTable.checksum(key: name, value: Array(payload[value])) == checksum {
            meta[name] = Array(payload[value])
        }
    }

    /// Returns whether a key of `meta` is one of `MetaKey`, of a counter, or of a bookmark.
    ///
    /// A damaged file may have others, which a salvage does not keep: no code would ever delete them.
    private static func isKnown(_ key: String) -> Bool {
        MetaKey.all.contains(key) || Ledger.counters.contains { $0.key == key }
            || ["bookmark/", "bookmarks/", "recent/"].contains { key.hasPrefix($0) }
    }

    /// Returns the complete payload of a cell; nil if one of its overflow pages is missing.
    private func payload(of cell: PageCells.Cell, on page: [UInt8]) -> [UInt8]? {
        var payload = Array(page[cell.local])
        var next = cell.overflowPage
        while payload.count < cell.payloadByteCount {
            guard next > 0, let page = pages.page(next) else { return nil }
            next = Int(page.span.bigEndianUInt32(at: 0))
            payload += page[4..<min(page.count, 4 + cell.payloadByteCount - payload.count)]
        }
        return payload
    }

    private func row(of cell: PageCells.Cell, onPage number: Int) -> StoredRow? {
        if lastPage.number != number {
            guard let page = pages.page(number) else { return nil }
            lastPage = (number, page)
        }
        guard let payload = payload(of: cell, on: lastPage.bytes) else { return nil }
        return Self.row(of: payload, number: cell.rowID)?.row
    }

    /// Decodes a row of the tags or the dead letters; nil if its checksum is wrong.
    private static func row(of payload: [UInt8], number: Int64) -> (row: StoredRow, columns: RecordColumns)? {
        guard (0...StoreTotals.maximumCount).contains(number), let columns = RecordColumns(payload.span),
            columns.count == TagTable.columnCount || columns.count == DeadLetterTable.columnCount,
            let idRange = columns.bytes(1), let id = TagID(bytes: payload.span.extracting(idRange)),
            let wall = columns.integer(2), let boot = columns.integer(3), let epoch = columns.integer(4),
            let checksum = columns.integer(5), let encoding = columns.integer(6),
            let body = columns.bytes(7)
        else { return nil }
        let fields = RowFields(
            sequence: number, id: id, receivedWall: wall, receivedBoot: boot, epoch: epoch, encoding: encoding
        )
        guard fields.checksum(body: payload.span.extracting(body)) == checksum else { return nil }
        return (StoredRow(fields: fields, body: Array(payload[body])), columns)
    }
}

/// The pages of a database with the changes in its log, read without SQLite.
final class DatabasePages {
    /// The number of pages after the last commit in the log.
    let count: Int
    let log: LogFrames
    private let file: FileDescriptor?
    private var buffer = [UInt8](repeating: 0, count: StoreBudget.pageByteCount)

    /// Opens a database and its log; both may be missing.
    init(database: String, log path: String) throws(SystemError) {
        if FileSystem.byteCount(of: database) == nil {
            file = nil
        } else {
            file = try FileDescriptor(path: database, options: [.reading, .noFollow])
        }
        log = try Self.log(at: path)
        let byteCount = try file?.byteCount() ?? 0
        let fileCount = (byteCount + StoreBudget.pageByteCount - 1) / StoreBudget.pageByteCount
        // After the last page of a commit, the file may still contain pages that were moved or freed.
        count = min(log.pageCount ?? fileCount, fileCount + log.frameCount)
    }

    /// Reads the frames of a log, which may be missing.
    static func log(at path: String) throws(SystemError) -> LogFrames {
        guard FileSystem.byteCount(of: path) != nil else { return LogFrames([]) }
        let file = try FileDescriptor(path: path, options: [.reading, .noFollow])
        return LogFrames(try file.firstBytes(maximumLogByteCount))
    }

    /// The maximum size that is read of a log: far more than a store ever writes.
    private static let maximumLogByteCount = 1 << 28

    /// Returns the pages of every log frame and the file pages that have a newer copy in the log.
    func hiddenPages() -> some Sequence<[UInt8]> {
        let numbers = log.pageOffsets.keys.sorted().lazy.compactMap { self.pageOfTheFile($0) }
        let frames = (0..<log.frameCount).lazy.map { self.log.page(ofFrame: $0) }
        return [AnySequence(frames), AnySequence(numbers)].lazy.joined()
    }

    /// Returns a page by its number, starting at 1; nil if it does not exist or is not readable.
    ///
    /// Bytes missing at the end of a truncated file are read as zero.
    func page(_ number: Int) -> [UInt8]? {
        guard (1...max(1, count)).contains(number) else { return nil }
        return log.page(number) ?? pageOfTheFile(number)
    }

    private func pageOfTheFile(_ number: Int) -> [UInt8]? {
        do throws(SystemError) {
            let start = (number - 1) * StoreBudget.pageByteCount
            guard let read = try file?.read(into: &buffer, at: start), read > 0 else { return nil }
            return buffer[..<read] + [UInt8](repeating: 0, count: StoreBudget.pageByteCount - read)
        } catch {
            return nil
        }
    }
}
