internal import ByteReading
internal import HostSystem

/// The opening procedure for the database of a buffer.
///
/// It uses the space of the reserve if the disk is full, and salvages a damaged database into a new one.
struct DatabaseOpener {
    let folder: StoreFolder
    let settings: StoreSettings
    let budget: StoreBudget
    let disk: DiskSpace

    /// Opens the database and returns it with the findings.
    ///
    /// - Parameter evidence: The facts about the store from other sources.
    func open(_ evidence: StoreEvidence) throws(StoreError) -> (TagDatabase, OpeningFindings) {
        var findings = OpeningFindings()
        try finishSettingAside()
        let opened: TagDatabase
        switch openIntact(evidence) {
        case .success(let database): opened = database
        case .failure(let failure):
            // A read-only error although the file is writable means that its header claims a newer format version,
            // which is damage.
            if failure.isDamage || failure.isReadOnly && FileSystem.isWritable(folder.database) {
                try checkOrigin(evidence)
                findings.damage = failure.message
                try setAside(because: failure.message)
                opened = try openNew()
            } else if failure.isReadOnly {
                throw .readOnly(path: folder.path)
            } else if failure.isDiskFull {
                opened = try openWithReserve()
            } else {
                throw failure.storeError
            }
        }
        if isSalvageDue {
            if findings.damage == nil { findings.damage = "salvage left unfinished by an earlier open" }
            findings.salvagedCount = try salvage(into: opened, evidence)
        }
        try checkVersion(of: opened)
        return (opened, findings)
    }

    /// Returns whether the buffer has never stored a tag.
    ///
    /// It has no database, or at most the first page of one.
    func isNew(_ evidence: StoreEvidence) -> Bool {
        evidence.highestSequence == 0 && !isSalvageDue
            && FileSystem.byteCount(of: folder.database) ?? 0 <= 4_096
    }

    /// Removes a database that could not be created completely: it uses space, and would be set aside as damaged.
    func removeDatabase() {
        for path in [folder.database, folder.writeAheadLog] {
            do throws(SystemError) {
                try FileSystem.remove(path)
            } catch {
                // It does not exist, or the next opening completes it.
            }
        }
    }

    /// Frees the reserve and opens the database.
    func openWithReserve() throws(StoreError) -> TagDatabase {
        do throws(SQLiteFailure) {
            return try disk.openWithReserve { () throws(SQLiteFailure) in try make(mayBeNew: true) }
        } catch {
            throw error.storeError
        }
    }

    private func openIntact(_ evidence: StoreEvidence) -> Result<TagDatabase, SQLiteFailure> {
        do throws(SQLiteFailure) {
            if let problem = try firstPage().problem { return .failure(SQLiteFailure(damage: problem)) }
            let database = try make(mayBeNew: evidence.highestSequence == 0 || isSalvageDue)
            if let problem = try database.structureProblems().first {
                return .failure(SQLiteFailure(damage: problem))
            }
            let missing = try missingCount(in: database, evidence)
            // During a salvage, the missing tags are in the database that was set aside.
            if missing > 0, !isSalvageDue {
                let tags = missing == 1 ? "1 tag is" : "\(missing) tags are"
                return .failure(SQLiteFailure(damage: "\(tags) missing"))
            }
            return .success(database)
        } catch {
            return .failure(error)
        }
    }

    /// Returns the number of accepted tags that are unaccounted for.
    ///
    /// SQLite silently drops the rest of a damaged log.
    private func missingCount(
        in database: TagDatabase, _ evidence: StoreEvidence
    ) throws(SQLiteFailure) -> Int64 {
        let ledger = try evidence.ledger { key throws(SQLiteFailure) in try database.meta.number(key) }
        let known = max(try database.tags.lastSequence(), try database.meta.number(MetaKey.lastSequence) ?? 0)
        return ledger.missingCount(
            upTo: max(known, evidence.highestSequence), rowCount: try database.tags.count())
    }

    private func firstPage() throws(SQLiteFailure) -> FirstPage {
        do throws(SystemError) {
            return try FirstPage(in: folder)
        } catch {
            throw SQLiteFailure(system: error)
        }
    }

    private func openNew() throws(StoreError) -> TagDatabase {
        do throws(SQLiteFailure) {
            return try make(mayBeNew: true)
        } catch {
            throw error.storeError
        }
    }

    private func make(mayBeNew: Bool) throws(SQLiteFailure) -> TagDatabase {
        do throws(SystemError) {
            // Create the file with private permissions. SQLite would make it readable for others, and its log inherits
            // the permissions.
            _ = try FileDescriptor(path: folder.database, options: [.readingAndWriting, .create, .noFollow])
        } catch {
            throw SQLiteFailure(system: error)
        }
        return try TagDatabase(
            path: folder.database, budget: budget, synchronous: settings.synchronous, mayBeNew: mayBeNew)
    }

    // MARK: Foreign and newer files

    /// Rejects a file of another program or of a later release, before anything is changed.
    private func checkOrigin(_ evidence: StoreEvidence) throws(StoreError) {
        let content: DamagedDatabase
        let isForeign: Bool
        do throws(SystemError) {
            content = try DamagedDatabase(database: folder.database, log: folder.writeAheadLog)
            isForeign = try FirstPage(in: folder).isForeign(
                content, isStoreBeside: evidence.isStoreBeside)
        } catch {
            throw .system(error)
        }
        if let bytes = content.meta[MetaKey.schemaVersion] {
            try check(version: Int64(String(decoding: bytes, as: UTF8.self)) ?? 0)
        }
        if isForeign { throw .notAStore(path: folder.database) }
    }

    private func checkVersion(of database: TagDatabase) throws(StoreError) {
        let version: Int64
        do throws(SQLiteFailure) {
            version = try database.meta.number(MetaKey.schemaVersion) ?? 0
        } catch {
            throw error.storeError
        }
        try check(version: version)
    }

    private func check(version: Int64) throws(StoreError) {
        if version > TagDatabase.schemaVersion { throw .newerSchema(found: version) }
    }
}

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
