internal import ByteReading
internal import HostSystem

/// The first page of a database, looked at before SQLite is let near the file.
///
/// SQLite believes what stands there: a flipped bit may make it read rows as columns of another table, convert texts,
/// throw away the log, or answer with an error that tells of a fault in a statement. And it writes to any database that it
/// opens, somebody else's too.
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

    /// What is wrong with it; nil where it is a store's, or there is none yet.
    var problem: String? {
        guard !bytes.isEmpty else { return hasLog ? "the database is missing beside its log" : nil }
        guard bytes.count == StoreBudget.pageByteCount else { return "the first page is truncated" }
        return isHeaderOfAStore ? nil : "the header is not that of a store's database"
    }

    /// Whether the header has what every store's has (SQLite file format, section 1.3).
    private var isHeaderOfAStore: Bool {
        let page = bytes.span
        func word(_ offset: Int) -> UInt32 { page.bigEndianUInt32(at: offset) }
        return hasMagic && page.bigEndianUInt16(at: 16) == StoreBudget.pageByteCount
            // The log is in use; nothing is reserved; the three fractions.
            && word(18) == 0x0202_0040 && page.bigEndianUInt16(at: 22) == 0x2020
            // The schema's format, the text encoding and the mode of vacuum; both formats are 0 before the first table.
            && (word(44) == 4 || word(44) == 0) && word(56) <= 1 && word(64) == 1
            && (72..<92).allSatisfy { bytes[$0] == 0 }
    }

    private var hasMagic: Bool { bytes.span.hasASCII("SQLite format 3\0", at: 0) }

    /// Whether the file is certainly, or as far as anybody can tell, none that a store has written.
    ///
    /// - Parameters:
    ///   - content: What the file has.
    ///   - isStoreBeside: Whether another file of the folder is a store's beyond doubt.
    func isForeign(_ content: DamagedDatabase, isStoreBeside: Bool) -> Bool {
        if content.isOfAStore || bytes.allSatisfy({ $0 == 0 }) { return false }
        if hasMagic, let schema = content.schema {
            // A flipped bit in one statement leaves the others.
            return !schema.isEmpty && !schema.contains { TagDatabase.isStatement($0) }
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
