internal import HostSystem

/// The only access to the database: opens it, runs transactions, and recovers from failures.
///
/// Keeps the ledger, which changes only with a committed transaction or for tags in memory. Used only on the buffer's
/// thread.
final class DatabaseGate {
    private let opener: DatabaseOpener
    private let disk: DiskSpace
    private let time: StoreTime
    private let published: PublishedTotals
    private let folder: StoreFolder
    private var database: TagDatabase? {
        didSet { files = database == nil ? [] : filesOfDatabase }
    }
    /// The files of the open database with their identities.
    ///
    /// They show whether the folder still contains these files. Writes to deleted or replaced files are lost when the
    /// process exits.
    private var files: [(path: String, identity: FileIdentity?)] = []
    private var mark: HighWaterMark?
    private(set) var ledger = Ledger()
    /// The id of the buffer, after it was read or created.
    private(set) var id: StoreID?
    /// The number of transactions committed since the buffer was opened.
    private(set) var commitCount: Int64 = 0
    private var isClosed = true
    /// Whether the ledger has the totals of the buffer, because an opening succeeded or the buffer began in memory.
    private var isInUse = false
    /// The transaction whose commit failed, which closed the database; cleared when it is opened again.
    private var unknown: Ledger.UnknownCommit?
    /// The time since boot when the database was last reopened.
    private var lastReopening: Duration?
    /// Whether the buffer is new and its database was not created, so that all tags are in memory.
    private(set) var isWithoutDatabase = false

    init(
        _ folder: StoreFolder, opener: DatabaseOpener, disk: DiskSpace, time: StoreTime,
        published: PublishedTotals
    ) {
        self.folder = folder
        self.opener = opener
        self.disk = disk
        self.time = time
        self.published = published
    }

    // MARK: Opening and closing

    /// Opens the database, salvages a damaged one, and balances the totals.
    ///
    /// On a full disk, a new buffer begins without a database, which `ensureOpen` creates once there is disk.
    func open() throws(StoreError) -> OpeningFindings {
        isClosed = false
        isWithoutDatabase = opener.isNew(evidence(beside: try openMark()))
        do throws(StoreError) {
            return try openDatabase()
        } catch {
            guard error.isDiskFull, isWithoutDatabase else { throw error }
            beginInMemory()
            return OpeningFindings()
        }
    }

    private func beginInMemory() {
        let evidence = evidence(beside: mark?.read() ?? .absent)
        id = id ?? StoreID(evidence.status.flatMap { TagID(text: $0.storeID) } ?? .random())
        ledger = evidence.ledger { _ in nil }
        isInUse = true
        published.begin(with: ledger.totals.refused)
        published.publish(ledger.totals)
        _ = time.enter(time.now, sequence: ledger.lastSequence + 1)
        mark?.write(ledger.lastCommitted)
        mark?.write(ledger.overflowMark)
    }

    func close() {
        let isLogFinished = isInPlace && database?.finishLog() == true
        database = nil
        if isLogFinished { disk.emptyLog() }
        mark?.sync()
        mark = nil
        isClosed = true
    }

    /// Reopens the database after a failure closed it, at most once a second unless `atOnce` is true.
    ///
    /// This lets the buffer recover when the disk does.
    func ensureOpen(atOnce: Bool = false) throws(StoreError) {
        if isClosed { throw .closed }
        if database != nil { return }
        let now = time.sinceBoot
        if atOnce || lastReopening.map({ now - $0 >= .seconds(1) || now < $0 }) ?? true {
            lastReopening = now
            _ = try openDatabase()
        }
        if database == nil { throw .database(code: 14, message: "the database cannot be opened") }
    }

    private func openDatabase() throws(StoreError) -> OpeningFindings {
        do throws(StoreError) {
            return try openAndBalance()
        } catch {
            guard error.isDiskFull else { throw error }
            if isWithoutDatabase { opener.removeDatabase() }
            disk.freeReserve(for: nil)
        }
        do throws(StoreError) {
            return try openAndBalance()
        } catch {
            if error.isDiskFull, isWithoutDatabase { opener.removeDatabase() }
            throw error
        }
    }

    private func openAndBalance() throws(StoreError) -> OpeningFindings {
        let reading = try openMark()
        let evidence = evidence(beside: reading)
        var (opened, findings) = try opener.open(evidence)
        do throws(SQLiteFailure) {
            disk.prepareLog()
            try identify(opened, evidence)
            if evidence.isInUse { try undoUnknown(in: opened) }
            let top = try opened.tags.lastIntactSequence()
            switch reading {
            case .sequence: break
            case .damaged: findings.isHighWaterMarkReadable = false
            case .absent: findings.isHighWaterMarkReadable = top == 0
            }
            findings.missingCount = try attempt(opened) { (database, ledger) throws(SQLiteFailure) in
                let missing = try ledger.balance(
                    with: database, top: top, marked: evidence.highestSequence, isInUse: evidence.isInUse)
                _ = time.enter(time.now, sequence: ledger.lastSequence + 1)
                return missing
            }
        } catch {
            throw error.storeError
        }
        database = opened
        isInUse = true
        isWithoutDatabase = false
        mark?.write(ledger.lastCommitted)
        mark?.write(ledger.overflowMark)
        return findings
    }

    private func evidence(beside reading: HighWaterMark.Reading) -> StoreEvidence {
        StoreEvidence(
            ledger, isInUse: isInUse, unknown: unknown, mark: reading,
            overflow: mark?.readOverflow(), status: StoreStatus.lastWritten(in: folder.path),
            inLog: { DamagedDatabase.highestSequence(inLog: folder.writeAheadLog) })
    }

    private func openMark() throws(StoreError) -> HighWaterMark.Reading {
        do throws(SystemError) {
            mark = try HighWaterMark(path: folder.highWaterMark)
        } catch {
            throw .system(error)
        }
        return mark?.read() ?? .absent
    }

    /// Reads the id, the counters and the epochs of the buffer, and initializes a new database with them.
    private func identify(_ database: TagDatabase, _ evidence: StoreEvidence) throws(SQLiteFailure) {
        let meta = database.meta
        let written = try meta.value(MetaKey.storeID)
        let known = written.map { String(decoding: $0, as: UTF8.self) } ?? evidence.status?.storeID
        let id = self.id ?? StoreID(known.flatMap { TagID(text: $0) } ?? .random())
        self.id = id
        ledger = try evidence.ledger { key throws(SQLiteFailure) in try meta.number(key) }
        // The ledger has adopted it.
        unknown = nil
        if !evidence.isInUse { published.begin(with: ledger.totals.refused) }
        try time.read(from: meta)
        if written != nil {
            if try meta.number(MetaKey.schemaVersion) != TagDatabase.schemaVersion {
                try meta.setNumber(MetaKey.schemaVersion, TagDatabase.schemaVersion)
            }
            return
        }
        try database.transaction { () throws(SQLiteFailure) in
            try meta.set(MetaKey.storeID, Array(id.text.utf8))
            try meta.setNumber(MetaKey.schemaVersion, TagDatabase.schemaVersion)
            try ledger.writeAll(to: meta)
        }
        folder.sync()
    }

    // MARK: Transactions

    /// Runs one transaction on a draft of the ledger.
    ///
    /// The draft replaces the ledger only if the commit succeeds. After a disk-full failure, the reserve is freed;
    /// after damage, the database is set aside and salvaged. Then the transaction is retried.
    func transact<Value>(
        _ body: (TagDatabase, inout Ledger) throws(SQLiteFailure) -> Value
    ) throws(StoreError) -> Value {
        try rescuing { database throws(SQLiteFailure) in try attempt(database, body) }
    }

    /// Reads without a transaction, with the same recovery.
    func read<Value>(_ body: (TagDatabase) throws(SQLiteFailure) -> Value) throws(StoreError) -> Value {
        try rescuing(body)
    }

    /// Reads without recovery and reports a failure, for verification.
    func inspect(
        _ body: (TagDatabase) throws(SQLiteFailure) -> Void, otherwise report: (SQLiteFailure) -> Void
    ) throws(StoreError) {
        try ensureOpen()
        guard let database else { return }
        do throws(SQLiteFailure) {
            try body(database)
        } catch {
            report(error)
        }
    }

    private func attempt<Value>(
        _ database: TagDatabase, _ body: (TagDatabase, inout Ledger) throws(SQLiteFailure) -> Value
    ) throws(SQLiteFailure) -> Value {
        var draft = ledger
        draft.setRefused(published.totals.refused)
        let result = try database.transaction { () throws(SQLiteFailure) -> Value in
            let result = try body(database, &draft)
            try draft.write(to: database.meta)
            try time.write(to: database.meta)
            unknown = Ledger.UnknownCommit(before: ledger, after: draft)
            return result
        }
        unknown = nil
        time.recordCommit()
        if draft.lastCommitted != ledger.lastCommitted { mark?.write(draft.lastCommitted) }
        replaceLedger(with: draft)
        commitCount += 1
        published.publish(ledger.totals)
        return result
    }

    private func rescuing<Value>(
        _ body: (TagDatabase) throws(SQLiteFailure) -> Value
    ) throws(StoreError) -> Value {
        let failure: SQLiteFailure
        switch try once(body) {
        case .success(let value): return value
        case .failure(let error): failure = error
        }
        try rescue(from: failure)
        switch try once(body) {
        case .success(let value):
            if disk.isFull { restoreReserve() }
            return value
        case .failure(let error): throw error.storeError
        }
    }

    /// Runs an operation once on the open database, which is closed if a commit fails: only a new connection finds out
    /// whether the log contains the transaction.
    ///
    /// Keeps no reference to the database afterwards, so that a recovery can close it.
    private func once<Value>(
        _ body: (TagDatabase) throws(SQLiteFailure) -> Value
    ) throws(StoreError) -> Result<Value, SQLiteFailure> {
        try ensureOpen()
        guard let database else { throw .closed }
        do throws(SQLiteFailure) {
            return .success(try body(database))
        } catch {
            // On a full disk, the last frame of the commit did not fit.
            if error.isDiskFull { unknown = nil } else if unknown != nil { self.database = nil }
            return .failure(error)
        }
    }

    /// Recovers from a database failure, so that the operation can be retried.
    private func rescue(from failure: SQLiteFailure) throws(StoreError) {
        if failure.isDamage {
            database = nil
            try opener.setAside(because: failure.message)
            _ = try openDatabase()
        } else if failure.isDiskFull {
            disk.freeReserve(for: database)
        } else if failure.isSystemFailure {
            database = nil
            let opened = try opener.openWithReserve()
            do throws(SQLiteFailure) {
                try undoUnknown(in: opened)
            } catch {
                throw error.storeError
            }
            database = opened
        } else {
            throw failure.storeError
        }
    }

    /// Reverts the insertions of a transaction whose commit failed, and adopts its removals.
    ///
    /// If the sync fails after the last frame of a commit was written, the frame stays in the log and the next opening
    /// finds it. By then, its tags are in memory or were reported as not stored, and other tags use their sequences.
    private func undoUnknown(in database: TagDatabase) throws(SQLiteFailure) {
        if let unknown {
            try ledger.adopt(unknown) { key throws(SQLiteFailure) in try database.meta.number(key) }
            published.publish(ledger.totals)
            self.unknown = nil
        }
        let last = ledger.lastCommitted
        guard try database.tags.lastSequence() > last else { return }
        try database.transaction { () throws(SQLiteFailure) in
            _ = try database.tags.delete(last + 1...Int64.max)
            try ledger.withdrawSequences(from: database.meta)
        }
    }

    // MARK: Outside transactions

    /// Whether the database is open.
    var isOpen: Bool { database != nil }

    /// Whether the folder still contains the open files; also true while the database is closed.
    var isInPlace: Bool { files.allSatisfy { FileSystem.identity(of: $0.path) == $0.identity } }

    private var filesOfDatabase: [(path: String, identity: FileIdentity?)] {
        [folder.database, folder.writeAheadLog].map { ($0, FileSystem.identity(of: $0)) }
    }

    /// The number of tags ever offered, by what became of them.
    var totals: StoreTotals { published.totals }

    /// The last sequence in the high-water mark; nil if it is not readable.
    var highWaterMark: Int64? { mark?.read().sequence }

    /// Changes the ledger for tags in memory.
    func record(_ change: (inout Ledger) -> Void) {
        var draft = ledger
        change(&draft)
        replaceLedger(with: draft)
        published.publish(ledger.totals)
    }

    private func replaceLedger(with draft: Ledger) {
        let before = ledger.overflowMark
        ledger = draft
        // The last sequence matters only for tags without a row.
        if draft.overflowMark.lostCount != before.lostCount { mark?.write(draft.overflowMark) }
    }

    /// Records that an owner lost tags because it exceeded its share.
    func recordLoss(of owner: TagOwner) { published.recordLoss(of: owner) }

    /// Allocates the reserve again if the disk has space for it.
    func restoreReserve() { disk.restoreReserve(for: database) }

    /// Sets the members of a status that come from the database, unless it is closed.
    func complete(_ status: inout StoreStatus) throws(SQLiteFailure) {
        guard let database else { return }
        status.oldestReceived = try database.tags.oldest()?.receivedWall
        status.newestReceived = try database.tags.newestReceived()
        status.deadLetterCount = try database.deadLetters.count()
        status.deliveryState = try database.meta.value(MetaKey.deliveryState) ?? []
    }
}
