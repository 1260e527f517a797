internal import HostSystem

/// The single-threaded core of a buffer.
///
/// An actor whose executor is a dedicated thread. No method suspends, so each call runs to completion without
/// interleaving. The parts (`Outbox`, `Space`, `DatabaseGate` and so on) hold their own state.
///
/// The files of a folder use only those of their own folder and of the folders above it in this list:
///
///     Values     what callers pass and receive, and the budget
///     Files      the folder of the buffer, its lock, the high-water mark and the status
///     Database   the tables in SQLite, and their rows
///     Ledger     the counts of all tags
///     Time       the clocks, and the epochs for computing ages
///     Salvage    the readable content of a damaged database
///     Gate       the space on the disk, the opening of the database, and its transactions
///     Space      eviction, and the tags in memory
///     Outbox     the tags in flight, their acknowledgement, and the dead letters
actor StoreEngine {
    nonisolated let thread: SerialThreadExecutor
    nonisolated let published = PublishedTotals()
    nonisolated let shares = OwnerShares()
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    let folder: StoreFolder
    let settings: StoreSettings
    private let budget: StoreBudget
    let time: StoreTime
    let disk: DiskSpace
    private let space: Space
    let gate: DatabaseGate
    let overflow: Overflow
    let reader: TagReader
    let outbox: Outbox
    var lock: StoreLock?
    /// The time since boot of the last status in the file.
    var statusWritten: Duration?
    /// A delayed write of changes that the last status file does not include.
    var laterStatus: Task<Void, Never>?
    private var maintained: Duration?
    /// The last time at which bookmarks expired, or the time of the opening: channels begin after it.
    private var bookmarksExpired: Duration

    init(
        _ folder: StoreFolder, settings: StoreSettings, budget: StoreBudget, clock: any HostClock,
        thread: SerialThreadExecutor,
        decoder: consuming sending BodyDecoder
    ) {
        self.folder = folder
        self.settings = settings
        self.thread = thread
        self.budget = budget
        time = StoreTime(clock)
        disk = DiskSpace(budget, folder: folder)
        gate = DatabaseGate(
            folder,
            opener: DatabaseOpener(folder: folder, settings: settings, budget: budget, disk: disk),
            disk: disk, time: time, published: published)
        space = Space(budget, policy: settings.fullPolicy, shares: shares, disk: disk)
        overflow = Overflow(
            maximumByteCount: settings.maximumMemoryByteCount, policy: settings.fullPolicy, shares: shares)
        reader = TagReader(gate: gate, overflow: overflow, decoder: decoder)
        outbox = Outbox(gate: gate, space: space, overflow: overflow, reader: reader)
        bookmarksExpired = time.sinceBoot
    }

    // MARK: Opening and closing

    /// Opens the buffer.
    ///
    /// - Parameter users: The users who may own the folder and its files.
    func open(trusting users: TrustedUsers) throws(StoreError) -> (StoreID, OpeningFindings) {
        lock = try StoreLock(folder, trusting: users)
        do throws(StoreError) {
            // Requires the lock: closing any descriptor of a database file drops the locks that SQLite holds on it in
            // this process.
            try folder.makeFilesPrivate(trusting: users)
            let findings = try gate.open()
            if gate.isOpen { try beginHousekeeping() }
            if isInPlace { writeStatus(gate.isOpen ? .normal : .degraded) }
            guard let id = gate.id else { throw .closed }
            return (id, findings)
        } catch {
            shut()
            throw error
        }
    }

    private func beginHousekeeping() throws(StoreError) {
        gate.restoreReserve()
        do throws(StoreError) {
            _ = try space.boundBookmarks(through: gate)
            try space.boundDeadLetters(through: gate)
            try space.shrinkToBound(through: gate, sparing: outbox.inFlight)
            try removeExpired()
        } catch {
            // On a full disk it is retried in a minute.
            if !error.isDiskFull { throw error }
        }
    }

    func close(after flush: @Sendable () -> Void) {
        flush()
        shut()
    }

    func shut() {
        guard lock != nil else { return }
        laterStatus?.cancel()
        outbox.endBatches()
        if !gate.isWithoutDatabase || !overflow.isEmpty {
            do throws(StoreError) {
                try gate.ensureOpen(atOnce: true)
            } catch {
                // The disk still fails, and the tags in memory are lost.
            }
        }
        if gate.isOpen {
            _ = moveOverflowToDisk()
        }
        overflow.giveUp(through: gate)
        if gate.isOpen {
            do throws(StoreError) {
                try gate.transact { (_, _) throws(SQLiteFailure) in }
            } catch {
                // The disk is not writable. The high-water mark file already records the count of tags lost in memory.
            }
        }
        if isInPlace { writeStatus(.closed) }
        gate.close()
        lock = nil
    }

    // MARK: Appending

    /// Commits appends in one transaction and returns a result for each.
    func append(_ group: [EncodedAppend]) -> [Result<AppendOutcome, StoreError>] {
        guard !group.isEmpty else { return [] }
        guard lock != nil else { return group.map { refuse($0, as: .closed) } }
        guard isInPlace else { return group.map { refuse($0, as: .removed(path: folder.path)) } }
        if !moveOverflowToDisk() { return group.map { keepInMemory($0) } }
        do throws(StoreError) {
            var next = try insert(group)
            return group.map { append in
                let end = next + Int64(append.rowCount)
                defer { next = end }
                if append.isHeld { outbox.hold(next...(end - 1)) }
                return .success(AppendOutcome(sequences: next...(end - 1), durability: .durable))
            }
        } catch .full {
            // The group as a whole was too large; smaller appends may still fit one by one.
            if group.count > 1 { return group.flatMap { append([$0]) } }
            return group.map { space.isDiskToBlame ? keepInMemory($0) : refuse($0, as: .full) }
        } catch {
            return group.map { keepInMemory($0) }
        }
    }

    /// Whether the folder still contains the open files.
    ///
    /// Writes to files that were deleted or replaced are lost when the process exits.
    var isInPlace: Bool {
        guard lock?.isInPlace ?? false else { return false }
        // The paths of an open database lead through the folder.
        return gate.isOpen ? gate.isInPlace : FileSystem.isDirectory(folder.path)
    }

    /// Inserts the rows of a group and returns the first sequence.
    private func insert(_ group: [EncodedAppend]) throws(StoreError) -> Int64 {
        var incoming = IncomingRows(
            rowCount: group.reduce(0) { $0 + $1.rowCount }, byteCount: group.reduce(0) { $0 + $1.bytes.count }
        )
        try space.evictAboveShare(
            for: &incoming, recordByteCount: group.reduce(0) { $0 + $1.recordByteCount },
            listing: { group.flatMap { $0.entries.map { ($0.owner, $0.byteCount) } } },
            through: gate, sparing: outbox.inFlight)
        var first = try append(group, incoming)
        // Bookmarks above their limit leave otherwise within a minute.
        if first == nil, try space.boundBookmarks(through: gate) { first = try append(group, incoming) }
        guard let first else { throw .full }
        return first
    }

    /// Inserts the given rows of a group, and returns the first sequence; nil if there is no room.
    private func append(_ group: [EncodedAppend], _ incoming: IncomingRows) throws(StoreError) -> Int64? {
        try gate.transact { (database, ledger) throws(SQLiteFailure) -> Int64? in
            guard try space.makeRoom(for: incoming, in: database, sparing: outbox.inFlight, &ledger)
            else { return nil }
            var rows = incoming
            let first = ledger.lastSequence + 1
            for append in group {
                let moment = time.moment(wall: append.receivedWall, boot: append.receivedBoot)
                let epoch = time.enter(moment, sequence: ledger.lastSequence + 1)
                let fields = RowFields(
                    sequence: ledger.accept(append.rowCount), id: TagID(high: 0, low: 0),
                    receivedWall: append.receivedWall, receivedBoot: append.receivedBoot, epoch: epoch,
                    encoding: 0)
                if incoming.isComplete {
                    try database.tags.append(append.entries, of: append.bytes.span, fields)
                } else {
                    let count = try database.tags.append(append, fields, skipping: &rows)
                    ledger.remove(count, as: \.evicted)
                }
                if let bookmark = append.bookmark {
                    try database.set(bookmark, at: moment.wall)
                }
            }
            return first
        }
    }

    /// Keeps an append in memory because the disk did not accept it.
    private func keepInMemory(_ append: EncodedAppend) -> Result<AppendOutcome, StoreError> {
        let first = gate.ledger.lastSequence + 1
        let moment = time.moment(wall: append.receivedWall, boot: append.receivedBoot)
        let epoch = time.enter(moment, sequence: first)
        guard overflow.append(append, epoch: epoch, through: gate) else { return refuse(append, as: .full) }
        let last = first + Int64(append.rowCount) - 1
        if append.isHeld { outbox.hold(first...last) }
        return .success(AppendOutcome(sequences: first...last, durability: .memoryOnly))
    }

    private func refuse(
        _ append: EncodedAppend, as error: StoreError
    ) -> Result<AppendOutcome, StoreError> {
        published.refuse(append.rowCount)
        return .failure(error)
    }

    /// Writes the tags in memory to the disk; returns false if some remain in memory.
    func moveOverflowToDisk() -> Bool {
        overflow.moveToDisk(
            through: gate, space, sparing: outbox.inFlight, stepByteCount: budget.maximumAppendByteCount)
    }

    // MARK: Delivery

    func nextBatch(
        maximumCount: Int, maximumByteCount: Int, after sequence: Int64, keeping inFlight: ClosedRange<Int64>?
    ) throws(StoreError) -> [StoredTag] {
        outbox.beginBatch(keeping: inFlight)
        _ = moveOverflowToDisk()
        rest()
        let batch = try outbox.takeBatch(
            after: sequence, maximumCount: maximumCount, maximumByteCount: maximumByteCount)
        updateStatus()
        return batch
    }

    func acknowledge(_ answer: Acknowledgement) throws(StoreError) {
        guard lock != nil else { throw .closed }
        try outbox.acknowledge(answer, at: time.wall)
        rest()
    }

    func release(_ tags: [ReleasedTag]) throws(StoreError) {
        guard lock != nil else { throw .closed }
        try outbox.release(tags)
        rest()
    }

    func admit(deleting isDeleting: Bool) throws(StoreError) -> Int64 {
        guard lock != nil else { throw .closed }
        let count = try outbox.admit(deleting: isDeleting)
        rest()
        return count
    }

    func retryDeadLetters() throws(StoreError) -> Int64 {
        let count = try outbox.retryDeadLetters()
        rest()
        return count
    }

    func pruneDeadLetters(olderThan age: Duration) throws(StoreError) -> Int64 {
        guard age >= .zero else { throw .invalidSetting(name: "age") }
        let count = try outbox.pruneDeadLetters(refusedUntil: time.wall &- age.milliseconds)
        rest()
        return count
    }

    func confirmClock(serverTime: Int64) { time.confirm(serverTime: serverTime) }

    func expire() throws(StoreError) {
        try gate.ensureOpen()
        try removeExpired()
        rest()
    }

    func prune(olderThan age: Duration) throws(StoreError) -> Int64 {
        try gate.ensureOpen()
        guard age >= .zero else { throw .invalidSetting(name: "age") }
        let count = try removeTags(olderThan: age.milliseconds)
        rest()
        return count
    }

    // MARK: Housekeeping

    /// Runs the periodic work that is due between commits.
    func rest() {
        guard lock != nil else { return }
        if time.isDue(since: maintained, every: .seconds(60)) { maintain() }
        updateStatus()
    }

    private func maintain() {
        maintained = time.sinceBoot
        _ = moveOverflowToDisk()
        gate.restoreReserve()
        do throws(StoreError) {
            try removeExpired()
            if time.isDue(since: bookmarksExpired, every: .seconds(3_600)) {
                bookmarksExpired = time.sinceBoot
                try expireBookmarks()
            }
            _ = try space.boundBookmarks(through: gate)
            try space.shrink(through: gate)
            try space.shrinkToBound(through: gate, sparing: outbox.inFlight)
        } catch {
            // Retried in a minute; until then the size limit still holds.
        }
    }
}
