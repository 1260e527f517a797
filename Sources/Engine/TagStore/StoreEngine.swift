import Glibc

/// The store itself: everything that only one thread may do at a time.
///
/// An actor whose executor is a thread of its own; no method suspends, so each is one step that nothing can come
/// between.
actor StoreEngine {
    /// What `open` gives back.
    struct Opening: Sendable {
        let id: StoreID
        let findings: OpeningFindings
    }

    nonisolated let thread: OwnerThread
    nonisolated let counts = StoreCounts()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    let path: String
    let settings: StoreSettings
    let budget: StoreBudget
    let clock: any StoreClock
    let ballast: Ballast

    var directory: StoreDirectory?
    var database: TagDatabase?
    var mark: HighWaterMark?
    var decompressor: BodyDecompressor

    /// The id, once it was read or made.
    var id = StoreID(TagID(high: 0, low: 0))
    /// Every tag and where it is; `refused` is kept by `counts`.
    var totals = StoreTotals()
    /// What of `totals` the database knows.
    var writtenTotals = StoreTotals()
    /// Accepted tags that no sequence was given to: what could not be told after a damage.
    var acceptedBase: Int64 = 0
    /// The last sequence that was given.
    var lastSequence: Int64 = 0
    /// The last sequence that is on the disk.
    var lastCommitted: Int64 = 0
    /// The last sequence that the database knows of without a row: it is written with every deletion.
    var writtenSequence: Int64 = 0
    var epochs = ClockEpochs()
    var isClockConfirmed = false
    var ring: MemoryRing
    /// The tags of the last batch that was handed out.
    var claim: ClosedRange<Int64>?
    /// How many of them are not settled yet.
    var handedOutCount = 0
    /// The pages that the database may use while the disk has no room for more; nil while it has.
    var pinnedPageCount: Int?
    var commitCount: Int64 = 0
    var lastStatus = Int64.min
    /// Waits to write what the last status does not have yet.
    var laterStatus: Task<Void, Never>?
    var lastMaintenance = Int64.min
    var lastReopening = Int64.min

    init(
        path: String, settings: StoreSettings, clock: any StoreClock, thread: OwnerThread,
        decompressor: consuming BodyDecompressor
    ) {
        self.path = path
        self.settings = settings
        self.clock = clock
        self.thread = thread
        self.decompressor = decompressor
        budget = StoreBudget(maximumByteCount: settings.maximumByteCount)
        ballast = Ballast(path: path + "/ballast", byteCount: budget.ballastByteCount)
        ring = MemoryRing(maximumByteCount: settings.maximumMemoryByteCount)
    }

    // MARK: Opening and closing

    func open() throws(StoreError) -> Opening {
        directory = try StoreDirectory(path: path)
        do throws(StoreError) {
            let findings = try openDatabase()
            restoreBallast()
            try expireAll()
            writeStatus(.normal)
            return Opening(id: id, findings: findings)
        } catch {
            shut()
            throw error
        }
    }

    func close(after flush: @Sendable () -> Void) {
        flush()
        shut()
    }

    func shut() {
        guard directory != nil else { return }
        laterStatus?.cancel()
        handedOutCount = 0
        if database != nil {
            _ = writeRing()
            if !ring.isEmpty {
                let lost = Int64(ring.count)
                totals.inStore -= lost
                totals.losses.memoryLost += lost
                _ = ring.remove { _ in true }
            }
            do throws(StoreError) {
                try transact { (_, _) throws(SQLiteFailure) in }
            } catch {
                // The disk takes nothing: what was counted since the last commit is told by the status alone.
            }
        }
        counts.publish(totals)
        writeStatus(.closed)
        database = nil
        mark = nil
        directory = nil
    }

    // MARK: The gate to the database

    /// The database, or the reason why there is none.
    func opened() throws(StoreError) -> TagDatabase {
        guard directory != nil else { throw .closed }
        if let database { return database }
        // It could not be opened again after a failure; a disk that recovers brings it back.
        let now = clock.bootMilliseconds
        if lastReopening == .min || now &- lastReopening >= 1_000 || now < lastReopening {
            lastReopening = now
            _ = try openDatabase()
        }
        guard let database else { throw .database(code: 14, message: "the database cannot be opened") }
        return database
    }

    /// Takes the ballast's room again where the disk has it, and lets the database grow again.
    func restoreBallast() {
        if ballast.restore(leaving: budget.walByteCount) { pinnedPageCount = nil }
    }

    /// Runs one transaction, with the totals that it changes.
    ///
    /// The totals are taken over, and written, only where the commit succeeds. A full disk gives the ballast
    /// away and tries again; a damaged database is set aside and salvaged, and the transaction tried again.
    func transact<Value>(
        _ body: (TagDatabase, inout StoreTotals) throws(SQLiteFailure) -> Value
    ) throws(StoreError) -> Value {
        let failure: SQLiteFailure
        switch try once({ database throws(SQLiteFailure) in try attempt(database, body) }) {
        case .success(let result): return result
        case .failure(let error): failure = error
        }
        return try rescue(from: failure) { database throws(SQLiteFailure) in try attempt(database, body) }
    }

    /// Tries something on the database, and holds on to it no longer than that: a rescue must be able to close it.
    private func once<Value>(
        _ body: (TagDatabase) throws(SQLiteFailure) -> Value
    ) throws(StoreError) -> Result<Value, SQLiteFailure> {
        let database = try opened()
        do throws(SQLiteFailure) {
            return .success(try body(database))
        } catch {
            return .failure(error)
        }
    }

    func attempt<Value>(
        _ database: TagDatabase, _ body: (TagDatabase, inout StoreTotals) throws(SQLiteFailure) -> Value
    ) throws(SQLiteFailure) -> Value {
        var next = totals
        next.refused = counts.totals.refused
        let known = epochs
        let result: Value
        do throws(SQLiteFailure) {
            result = try database.transaction { () throws(SQLiteFailure) -> Value in
                let result = try body(database, &next)
                try writeTotals(next, to: database)
                return result
            }
        } catch {
            // What was written of them is rolled back too, and must be written again by the next attempt.
            epochs = known
            throw error
        }
        totals = next
        writtenTotals = next
        commitCount += 1
        counts.publish(totals)
        return result
    }

    /// Reads without a transaction, with the same rescue.
    func read<Value>(_ body: (TagDatabase) throws(SQLiteFailure) -> Value) throws(StoreError) -> Value {
        let failure: SQLiteFailure
        switch try once(body) {
        case .success(let result): return result
        case .failure(let error): failure = error
        }
        return try rescue(from: failure, body)
    }

    // MARK: The clocks

    var moment: ClockEpochs.Moment {
        ClockEpochs.Moment(
            wall: clock.wallMilliseconds, boot: clock.bootMilliseconds, bootID: clock.bootID,
            isTrusted: clock.isTrusted || isClockConfirmed)
    }

    func confirmClock(serverTime: Int64) {
        let wall = clock.wallMilliseconds
        let distance = wall > serverTime ? wall &- serverTime : serverTime &- wall
        isClockConfirmed = distance <= 300_000
    }

    /// The epoch of a moment, written down where it is new.
    func epoch(at moment: ClockEpochs.Moment, in database: TagDatabase) throws(SQLiteFailure) -> Int64 {
        let before = epochs
        let (number, hasChanged) = epochs.enter(moment, sequence: lastSequence + 1)
        if hasChanged {
            // A clock that was set is no longer the one that a server's time was compared with.
            if before.epochs.last.map({ $0.number != number }) ?? false { isClockConfirmed = false }
            do throws(SQLiteFailure) {
                try database.setMeta(MetaKey.epochs, Array(epochs.text.utf8))
            } catch {
                epochs = before
                throw error
            }
        }
        return number
    }

    // MARK: Totals

    func writeTotals(_ next: StoreTotals, to database: TagDatabase) throws(SQLiteFailure) {
        // An append changes only what is not written, and the way through the key paths is long.
        guard
            next.refused != writtenTotals.refused || next.delivered != writtenTotals.delivered
                || next.losses != writtenTotals.losses
        else { return }
        for (key, value) in MetaKey.totals {
            if next[keyPath: value] != writtenTotals[keyPath: value] {
                try database.setMetaNumber(key, next[keyPath: value])
            }
        }
        // No sequence may be given again, whatever rows have gone; tags that were lost in memory have used up some
        // that no row ever had.
        let isMemoryLost = next.losses.memoryLost != writtenTotals.losses.memoryLost
        writtenSequence = max(writtenSequence, isMemoryLost ? lastSequence : lastCommitted)
        try database.setMetaNumber(MetaKey.lastSequence, writtenSequence)
    }

    // MARK: Status

    func status() throws(StoreError) -> StoreStatus {
        guard directory != nil else { throw .closed }
        do throws(SQLiteFailure) {
            return try status(state)
        } catch {
            throw error.storeError
        }
    }

    var state: StoreStatus.State {
        if !ring.isEmpty || database == nil { return .degraded }
        return pinnedPageCount == nil ? .normal : .diskFull
    }

    private func status(_ state: StoreStatus.State) throws(SQLiteFailure) -> StoreStatus {
        var oldest: Int64?
        _ = try database?.visitRow(atOrAfter: 0) { fields, _, _ in
            oldest = fields.receivedWall
            return false
        }
        let newest = try database?.newestReceived()
        return StoreStatus(
            storeID: id.text, processID: getpid(), written: clock.wallMilliseconds, state: state,
            lastSequence: lastSequence, oldestReceived: oldest ?? ring.items.first?.fields.receivedWall,
            newestReceived: ring.items.last?.fields.receivedWall ?? newest,
            deadCount: try database?.number("SELECT count(*) FROM dead") ?? 0, memoryCount: Int64(ring.count),
            handedOutCount: Int64(handedOutCount), files: directory?.fileSizes ?? StoreFileSizes(),
            settings: settings, isClockTrusted: moment.isTrusted, commitCount: commitCount,
            totals: counts.totals, deliveryState: try database?.meta(MetaKey.deliveryState) ?? [])
    }

    func writeStatus(_ state: StoreStatus.State) {
        guard directory != nil else { return }
        do throws(SQLiteFailure) {
            let status = try status(state)
            status.write(to: path + "/status.json", by: path + "/status.json.next")
            lastStatus = clock.bootMilliseconds
        } catch {
            // The next one may succeed; the older one stays, with its time in it.
        }
    }

    /// What is done between two commits, when it is due.
    func rest() {
        guard directory != nil else { return }
        if isMaintenanceDue { maintain() }
        tell()
    }

    private var isMaintenanceDue: Bool {
        let now = clock.bootMilliseconds
        return lastMaintenance == .min || now &- lastMaintenance >= 60_000 || now < lastMaintenance
    }

    private var isStatusDue: Bool {
        let now = clock.bootMilliseconds
        return lastStatus == .min || now &- lastStatus >= 1_000 || now < lastStatus
    }

    /// Writes the status where the last one is a second old, and otherwise once it will be: what happened just
    /// before the store comes to rest must be told too.
    func tell() {
        if isStatusDue { return writeStatus(state) }
        guard laterStatus == nil else { return }
        laterStatus = Task.detached { [weak self, thread] in
            do {
                try await Task.sleep(for: .milliseconds(1_010))
            } catch {
                // The store was closed, and its last status is written.
                return
            }
            guard let engine = self else { return }
            // A closure, not a job: where the thread has ended meanwhile, it goes away with it.
            thread.enqueue { engine.assumeIsolated { $0.tellNow() } }
        }
    }

    private func tellNow() {
        laterStatus = nil
        if isStatusDue { writeStatus(state) }
    }
}

/// The keys of the table `meta`.
enum MetaKey {
    static let storeID = "store_id"
    static let schemaVersion = "schema_version"
    static let acceptedBase = "accepted_base"
    static let lastSequence = "last_sequence"
    static let epochs = "epochs"
    static let deliveryState = "delivery_state"

    /// Every key.
    static var all: [String] {
        [storeID, schemaVersion, acceptedBase, lastSequence, epochs, deliveryState] + totals.map(\.key)
    }

    /// The counters; `accepted` follows from the last sequence, and what is in the store from the rows.
    static var totals: [(key: String, value: WritableKeyPath<StoreTotals, Int64>)] {
        [
            ("refused", \.refused), ("delivered", \.delivered), ("evicted", \.losses.evicted),
            ("expired", \.losses.expired), ("dead", \.losses.dead), ("pruned", \.losses.pruned),
            ("damaged", \.losses.damaged), ("memory_lost", \.losses.memoryLost),
        ]
    }
}
