internal import HostSystem

/// The one way to the database: opens it, runs transactions on it, and rescues it where one fails.
///
/// Keeps the ledger, which only ever changes with a transaction that succeeded, or for tags in memory. Used on the
/// buffer's thread only.
final class DatabaseGate {
    private let opener: DatabaseOpener
    private let space: Space
    private let time: StoreTime
    private let published: PublishedTotals
    private let folder: StoreFolder
    private var database: TagDatabase? {
        didSet { files = database == nil ? nil : DatabaseFiles(in: folder) }
    }
    /// The files that the open database is in.
    private var files: DatabaseFiles?
    private var mark: HighWaterMark?
    private(set) var ledger = Ledger()
    /// The buffer's id, once it was read or made.
    private(set) var id: StoreID?
    /// How many transactions were committed since the buffer was opened.
    private(set) var commitCount: Int64 = 0
    private var isClosed = true
    /// The ledger before and after a transaction whose commit failed: it may be in the database all the same.
    private var unknown: (before: Ledger, after: Ledger)?
    /// When the database was last opened anew, since the machine started.
    private var lastReopening: Duration?

    init(
        _ folder: StoreFolder, opener: DatabaseOpener, space: Space, time: StoreTime,
        published: PublishedTotals
    ) {
        self.folder = folder
        self.opener = opener
        self.space = space
        self.time = time
        self.published = published
    }

    // MARK: Opening and closing

    /// Opens the database, salvages what an earlier one left, and balances the totals.
    func open() throws(StoreError) -> OpeningFindings {
        isClosed = false
        return try openDatabase()
    }

    func close() {
        let isLogFinished = isInPlace && finishLog()
        database = nil
        if isLogFinished { space.emptyLog() }
        mark?.sync()
        mark = nil
        isClosed = true
    }

    /// Whether the database needs its log no longer.
    private func finishLog() -> Bool {
        do throws(SQLiteFailure) {
            return try database?.finishLog() ?? false
        } catch {
            return false
        }
    }

    /// Opens the database again where a failure closed it: a disk that recovers brings it back.
    func ensureOpen() throws(StoreError) {
        if isClosed { throw .closed }
        if database != nil { return }
        let now = time.sinceBoot
        if lastReopening.map({ now - $0 >= .seconds(1) || now < $0 }) ?? true {
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
            space.freeReserve(for: nil)
            return try openAndBalance()
        }
    }

    private func openAndBalance() throws(StoreError) -> OpeningFindings {
        let reading = try openMark()
        let evidence = StoreEvidence(
            ledger, isInUse: id != nil, mark: reading, overflow: mark?.readOverflow(),
            status: StatusFile.read(in: folder),
            inLog: { DamagedDatabase.highestSequence(inLog: folder.writeAheadLog) })
        var (opened, findings) = try opener.open(evidence)
        do throws(SQLiteFailure) {
            space.prepareLog()
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
                    with: database, top: top, marked: evidence.highestSequence)
                _ = time.enter(time.now, sequence: ledger.lastSequence + 1)
                return missing
            }
        } catch {
            throw error.storeError
        }
        database = opened
        mark?.write(ledger.lastCommitted)
        mark?.write(ledger.overflowMark)
        return findings
    }

    private func openMark() throws(StoreError) -> HighWaterMark.Reading {
        do throws(SystemError) {
            mark = try HighWaterMark(path: folder.highWaterMark)
        } catch {
            throw .system(error)
        }
        return mark?.read() ?? .absent
    }

    /// Reads who the buffer is and what it counted, and writes that into a new database.
    private func identify(_ database: TagDatabase, _ evidence: StoreEvidence) throws(SQLiteFailure) {
        let meta = database.meta
        let written = try meta.value(MetaKey.storeID)
        let known = written.map { String(decoding: $0, as: UTF8.self) } ?? evidence.status?.storeID
        let id = self.id ?? StoreID(known.flatMap { TagID(text: $0) } ?? .random())
        self.id = id
        ledger = try evidence.ledger { key throws(SQLiteFailure) in try meta.number(key) }
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

    /// Runs one transaction, with the ledger that it changes.
    ///
    /// The changes of the ledger are kept, and written, only where the commit succeeds. A full disk gives the reserve
    /// away and tries again; a damaged database is set aside and salvaged, and the transaction tried again.
    func transact<Value>(
        _ body: (TagDatabase, inout Ledger) throws(SQLiteFailure) -> Value
    ) throws(StoreError) -> Value {
        try rescuing { database throws(SQLiteFailure) in try attempt(database, body) }
    }

    /// Reads without a transaction, with the same rescue.
    func read<Value>(_ body: (TagDatabase) throws(SQLiteFailure) -> Value) throws(StoreError) -> Value {
        try rescuing(body)
    }

    /// Reads without rescuing anything: a failure is what is looked for.
    func look(
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
        draft.takeOver(refused: published.totals.refused)
        unknown = nil
        let result = try database.transaction { () throws(SQLiteFailure) -> Value in
            let result = try body(database, &draft)
            try draft.write(to: database.meta)
            try time.write(to: database.meta)
            unknown = (ledger, draft)
            return result
        }
        unknown = nil
        time.noteCommit()
        if draft.lastCommitted != ledger.lastCommitted { mark?.write(draft.lastCommitted) }
        replaceLedger(with: draft)
        commitCount += 1
        published.publish(ledger.totals)
        return result
    }

    // MARK: Rescue

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
            if space.isDiskFull { restoreReserve() }
            return value
        case .failure(let error): throw error.storeError
        }
    }

    /// Tries something on the database, and holds on to it no longer than that: a rescue must be able to close it.
    private func once<Value>(
        _ body: (TagDatabase) throws(SQLiteFailure) -> Value
    ) throws(StoreError) -> Result<Value, SQLiteFailure> {
        try ensureOpen()
        guard let database else { throw .closed }
        do throws(SQLiteFailure) {
            return .success(try body(database))
        } catch {
            return .failure(error)
        }
    }

    /// Does what helps against a failure of the database.
    private func rescue(from failure: SQLiteFailure) throws(StoreError) {
        if failure.isDamage {
            database = nil
            try opener.setAside(because: failure.message)
            _ = try openDatabase()
        } else if failure.isDiskFull {
            space.freeReserve(for: database)
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

    /// Takes back the tags of a transaction that nobody was told of, and takes over what it removed.
    ///
    /// A sync that fails after the last frame of a commit was written leaves it in the log, where the next opening finds it: its
    /// tags are in memory by then, or were answered as not kept, and their sequences are given to others.
    private func undoUnknown(in database: TagDatabase) throws(SQLiteFailure) {
        if let (before, after) = unknown, try after.isWritten(in: database.meta, after: before) {
            ledger.adoptRemovals(of: after, after: before)
            published.publish(ledger.totals)
        }
        unknown = nil
        let last = ledger.lastCommitted
        guard try database.tags.lastSequence() > last else { return }
        try database.transaction { () throws(SQLiteFailure) in
            _ = try database.tags.delete(last + 1...Int64.max)
        }
    }

    // MARK: Beside transactions

    /// Whether there is a database to write to.
    var isOpen: Bool { database != nil }

    /// Whether the folder still has the files that are open; a database that is closed for now is no reason to doubt it.
    var isInPlace: Bool { files.map { $0 == DatabaseFiles(in: folder) } ?? true }

    /// Every tag that was ever offered, and where it is.
    var totals: StoreTotals { published.totals }

    /// The last sequence that the high-water mark knows; nil where it cannot be read.
    var highWaterMark: Int64? { mark?.read().sequence }

    /// Changes the ledger for tags that are in memory.
    func record(_ change: (inout Ledger) -> Void) {
        var draft = ledger
        change(&draft)
        replaceLedger(with: draft)
        published.publish(ledger.totals)
    }

    private func replaceLedger(with draft: Ledger) {
        let before = ledger.overflowMark
        ledger = draft
        // The last sequence matters only for what has no row.
        if draft.overflowMark.lostCount != before.lostCount { mark?.write(draft.overflowMark) }
    }

    /// An owner lost tags because it had more than its share.
    func noteLosing(_ owner: TagOwner) { published.noteLosing(owner) }

    /// Takes the reserve's room again where the disk has it.
    func restoreReserve() { space.restoreReserve(for: database) }

    /// The epoch of a moment, written down where it is new.
    func enterEpoch(of moment: ClockReading) throws(StoreError) {
        try ensureOpen()
        _ = time.enter(moment, sequence: ledger.lastSequence + 1)
        if time.isWritingDue { try transact { (_, _) throws(SQLiteFailure) in } }
    }

    /// Forgets the epochs of tags that are gone.
    func forgetEpochs() throws(StoreError) {
        let oldest = try read { database throws(SQLiteFailure) in try database.tags.oldest() }
        time.forgetEpochs(before: oldest?.sequence ?? ledger.lastCommitted + 1)
        if time.isWritingDue { try transact { (_, _) throws(SQLiteFailure) in } }
    }

    /// What a status tells of the database, as it is; nothing of one that is closed.
    func facts() throws(SQLiteFailure) -> DatabaseFacts {
        DatabaseFacts(
            oldestReceived: try database?.tags.oldest()?.receivedWall,
            newestReceived: try database?.tags.newestReceived(),
            deadLetterCount: try database?.deadLetters.count() ?? 0,
            deliveryState: try database?.meta.value(MetaKey.deliveryState) ?? [])
    }

    /// Gives unused pages back to the disk, a few at a time.
    func shrink() throws(StoreError) {
        try read { database throws(SQLiteFailure) in try space.shrink(database) }
    }
}
