internal import ByteReading
internal import HostSystem

/// The first page of a database, checked before SQLite opens the file.
///
/// SQLite trusts this page. A flipped bit may make it read rows with the columns of another table, convert texts,
/// discard the log, or report an error in a statement. SQLite also writes to any database that it opens, including
/// those of other programs.
struct FirstPage {
    private let bytes: [UInt8]
    private let fileByteCount: Int
    private let hasLog: Bool

    /// Reads the first page of a folder's database, which may be missing.
    init(in folder: StoreFolder) throws(SystemError) {
        hasLog = try Self.bytes(of: folder.writeAheadLog, 4).contains { $0 != 0 }
        bytes = try Self.bytes(of: folder.database, StoreBudget.pageByteCount)
        fileByteCount = FileSystem.byteCount(of: folder.database) ?? 0
    }

    private static func bytes(of path: String, _ count: Int) throws(SystemError) -> [UInt8] {
        guard FileSystem.byteCount(of: path) != nil else { return [] }
        return try FileDescriptor(path: path, options: [.reading, .noFollow]).firstBytes(count)
    }

    /// A description of the problem; nil if the page is a store's or there is no database yet.
    var problem: String? {
        guard !bytes.isEmpty else { return hasLog ? "the database is missing, but its log exists" : nil }
        guard bytes.count == StoreBudget.pageByteCount else { return "the first page is truncated" }
        return isHeaderOfAStore ? nil : "the header does not match that of a store's database"
    }

    /// Whether the header matches that of every store (SQLite file format, section 1.3).
    private var isHeaderOfAStore: Bool {
        let page = bytes.span
        func word(_ offset: Int) -> UInt32 { page.bigEndianUInt32(at: offset) }
        return hasMagic && page.bigEndianUInt16(at: 16) == StoreBudget.pageByteCount
            // WAL mode, no reserved space, and the three payload fractions.
            && word(18) == 0x0202_0040 && page.bigEndianUInt16(at: 22) == 0x2020
            // The schema format, the vacuum mode and the text encoding; both formats are 0 before the first table.
            && (word(44) == 4 || word(44) == 0) && word(56) <= 1 && word(64) == 1
            && (72..<92).allSatisfy { bytes[$0] == 0 }
    }

    private var hasMagic: Bool { bytes.span.hasASCII("SQLite format 3\0", at: 0) }

    /// Returns whether the file certainly or probably does not come from a store.
    ///
    /// - Parameters:
    ///   - content: The readable content of the file.
    ///   - isStoreBeside: Whether another file in the folder identifies it as a store's.
    func isForeign(_ content: DamagedDatabase, isStoreBeside: Bool) -> Bool {
        if content.isOfAStore || bytes.allSatisfy({ $0 == 0 }) { return false }
        if hasMagic, let schema = content.schema {
            // A flipped bit damages one statement and leaves the others intact.
            return !schema.isEmpty && !schema.contains(where: TagDatabase.statements.contains)
        }
        if !isStoreBeside { return true }
        return isDatabaseOfAnotherPageSize || isText
    }

    private var isText: Bool { bytes.count > 16 && !bytes.contains(0) }

    private var isDatabaseOfAnotherPageSize: Bool {
        guard hasMagic, bytes.count >= 100 else { return false }
        let pageByteCount = Int(bytes.span.bigEndianUInt16(at: 16))
        return pageByteCount != StoreBudget.pageByteCount
            && (pageByteCount == 1 ? 65_536 : pageByteCount) * Int(bytes.span.bigEndianUInt32(at: 28))
                == fileByteCount
    }
}
