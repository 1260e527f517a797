internal import Synchronization

/// The buffer that tags wait in until they are delivered: bounded in bytes and days, and safe from the moment
/// `append` returns.
///
/// A store is a directory with one owner. Whatever was appended is delivered, or still there, or counted in
/// `losses()` by its cause: nothing else can become of a tag. Every call that touches the disk runs on a thread
/// of the store's own, so none blocks the caller's.
///
///     let store = try await TagBuffer.open(directory: path)
///     try await store.append([NewTag(body: bytes)])          // on the disk when it returns
///     let batch = try await store.nextBatch(maximumCount: 500, maximumByteCount: 512_000)
///     try await store.settle(Settlement(delivered: batch.map(\.sequence)))
///     try await store.close()
package final class TagBuffer: Sendable {
    /// The store's id: made with it, and its own for ever.
    package let id: StoreID

    /// What was found, and done about it, when the store was opened.
    package let findings: OpeningFindings

    /// The room that is held for a full disk.
    var ballast: Ballast { engine.ballast }

    /// How many appends wait for a commit.
    var waitingAppendCount: Int { queue.withLock { $0.count } }

    /// The thread that every commit runs on.
    var thread: OwnerThread { engine.thread }

    private let engine: StoreEngine
    private let queue: Mutex<AppendQueue>
    private let compressor: Mutex<BodyCompressor>
    private let clock: any StoreClock
    private let maximumAppendByteCount: Int

    private init(
        engine: StoreEngine, opening: StoreEngine.Opening, compressor: consuming sending BodyCompressor,
        settings: StoreSettings, clock: any StoreClock
    ) {
        id = opening.id
        findings = opening.findings
        self.engine = engine
        self.clock = clock
        queue = Mutex(AppendQueue())
        self.compressor = Mutex(compressor)
        maximumAppendByteCount =
            StoreBudget(maximumByteCount: settings.maximumByteCount).maximumAppendByteCount
    }

    deinit {
        let engine = engine
        engine.thread.enqueue { engine.assumeIsolated { $0.shut() } }
        engine.thread.stop()
    }

    /// Opens the store of a directory; makes both where there are none, the directory with mode 0700.
    ///
    /// A damaged database is set aside and what can be read of it is taken over: `findings` tells.
    ///
    /// - Throws: `inUse` where another owner has it, `notADirectory`, `readOnly`, `newerSchema`,
    ///   `invalidSetting`, `damaged`, `database` or `system`.
    package static func open(
        directory: String, settings: StoreSettings = StoreSettings(), clock: any StoreClock = .system
    ) async throws(StoreError) -> TagBuffer {
        try settings.check()
        let compressor = try BodyCompressor(dictionary: settings.dictionaries.last)
        let decompressor = try BodyDecompressor(dictionaries: settings.dictionaries)
        let thread = try OwnerThread()
        let engine = StoreEngine(
            path: directory, settings: settings, clock: clock, thread: thread, decompressor: decompressor)
        do throws(StoreError) {
            let opening = try await engine.open()
            return TagBuffer(
                engine: engine, opening: opening, compressor: compressor, settings: settings, clock: clock)
        } catch {
            thread.stop()
            throw error
        }
    }

    // MARK: In

    /// Appends tags, all or none, and returns once they are synced to the disk.
    ///
    /// The tags of one call are never parted: after a crash all of them are there or none. Appends that wait at
    /// the same time share a commit.
    ///
    /// - Throws: `full` and `appendTooLarge` (counted as refused), `overloaded` (likewise), `closed`. A disk
    ///   that takes nothing is no error: the outcome says that the tags are in memory.
    @discardableResult
    package func append(_ tags: [NewTag]) async throws(StoreError) -> AppendOutcome {
        guard !tags.isEmpty else { return AppendOutcome(sequences: nil, durability: .durable) }
        let append = try encode(tags)
        let result: Result<AppendOutcome, StoreError> = await withCheckedContinuation { answer in
            submit(AppendQueue.Waiting(append: append, answer: answer))
        }
        return try result.get()
    }

    private func encode(_ tags: [NewTag]) throws(StoreError) -> EncodedAppend {
        var refusal: StoreError?
        for tag in tags where tag.body.count > NewTag.maximumBodyByteCount {
            refusal = .appendTooLarge(byteCount: tag.body.count, limit: NewTag.maximumBodyByteCount)
        }
        if refusal == nil {
            let wall = clock.wallMilliseconds
            let boot = clock.bootMilliseconds
            let append = compressor.withLock {
                $0.encode(tags, receivedWall: wall, receivedBoot: boot, limit: maximumAppendByteCount)
            }
            if let append { return append }
        }
        engine.counts.refuse(tags.count)
        let byteCount = tags.reduce(0) { $0 + $1.body.count }
        throw refusal ?? .appendTooLarge(byteCount: byteCount, limit: maximumAppendByteCount)
    }

    /// Has an encoded append wait for its commit.
    private func submit(_ waiting: AppendQueue.Waiting) {
        switch queue.withLock({ $0.add(waiting) }) {
        case .beginCommit: beginCommit()
        case .none: break
        case .refuse:
            engine.counts.refuse(waiting.append.rowCount)
            waiting.answer.resume(returning: .failure(.overloaded))
        }
    }

    private func beginCommit() {
        engine.thread.enqueue { [self] in commitGroup() }
    }

    /// One commit of appends that waited, on the store's thread.
    private func commitGroup() {
        let limit = maximumAppendByteCount
        let group = queue.withLock { $0.takeGroup(rowCount: StoreBudget.groupRowCount, byteCount: limit) }
        let results = engine.assumeIsolated { $0.append(group.map(\.append)) }
        for (waiting, result) in zip(group, results) { waiting.answer.resume(returning: result) }
        if queue.withLock({ $0.endCommit() }) { beginCommit() }
        engine.assumeIsolated { $0.rest() }
    }

    // MARK: Out

    /// The oldest tags, oldest first: one at the least where there is any, and no more than both limits allow.
    ///
    /// The batch is spared from eviction, expiry and pruning until it is settled or the next is asked for, so
    /// that no tag is counted as lost while it is being delivered; only where nothing else is left to evict is
    /// it not. It is a copy: nothing is held open.
    ///
    /// - Parameters:
    ///   - maximumCount: 1 to 10,000.
    ///   - maximumByteCount: Of the bodies, uncompressed.
    ///   - sequence: Only tags after this one.
    ///   - batch: The sequences of a batch that is being delivered while this one is got ready: it stays spared too.
    package func nextBatch(
        maximumCount: Int, maximumByteCount: Int, after sequence: Int64 = 0,
        sparing batch: ClosedRange<Int64>? = nil
    ) async throws(StoreError) -> [StoredTag] {
        try await engine.nextBatch(
            maximumCount: maximumCount, maximumByteCount: maximumByteCount, after: sequence, sparing: batch)
    }

    /// Removes what was delivered and moves what was refused among the dead, in one transaction for every 500
    /// delivered; refused tags and the delivery state go with the last.
    ///
    /// Sequences that are no longer there are passed over.
    package func settle(_ settlement: Settlement) async throws(StoreError) {
        try await engine.settle(settlement)
    }

    /// The sender's own state, as it was set last; empty in a new store.
    package func deliveryState() async throws(StoreError) -> [UInt8] {
        try await engine.deliveryState()
    }

    /// Keeps the sender's own state: at most 4,096 bytes.
    package func setDeliveryState(_ state: [UInt8]) async throws(StoreError) {
        try await engine.settle(Settlement(deliveryState: state))
    }

    /// Takes note of a time that a server sent, in milliseconds of Unix time.
    ///
    /// A wall clock within five minutes of it is trusted until it is set.
    package func confirmClock(serverTime: Int64) async {
        await engine.confirmClock(serverTime: serverTime)
    }

    // MARK: Looking

    /// How many tags were lost since the store was made, by cause.
    package func losses() -> LossTotals { engine.counts.totals.losses }

    /// Every tag that was ever offered, and where it is.
    package func totals() -> StoreTotals { engine.counts.totals }

    /// The store at a glance.
    package func status() async throws(StoreError) -> StoreStatus {
        try await engine.status()
    }

    /// The tags after a sequence, oldest first: at most `maximumCount`, which is 1 to 10,000.
    ///
    /// To go through all, ask again after the last one's sequence. Spares nothing from eviction.
    package func tags(after sequence: Int64 = 0, maximumCount: Int) async throws(StoreError) -> [StoredTag] {
        try await engine.tags(after: sequence, maximumCount: maximumCount)
    }

    /// The refused tags after a sequence, oldest first, at most `maximumCount`; the oldest of them go first.
    package func deadTags(after sequence: Int64 = 0, maximumCount: Int) async throws(StoreError) -> [DeadTag]
    {
        try await engine.deadTags(after: sequence, maximumCount: maximumCount)
    }

    /// Reads every row and checks everything that can be checked; changes nothing.
    package func verify() async throws(StoreError) -> StoreVerification {
        try await engine.verify()
    }

    // MARK: Away

    /// Removes the tags that are older than an age, by the same rules as expiry but without asking for trust, and
    /// says how many.
    ///
    /// - Parameter milliseconds: 0 removes all.
    @discardableResult
    package func prune(olderThan milliseconds: Int64) async throws(StoreError) -> Int64 {
        try await engine.prune(olderThan: milliseconds)
    }

    /// Removes the tags that are too old; `append` and `nextBatch` do so once a minute by themselves.
    package func expire() async throws(StoreError) {
        try await engine.expireNow()
    }

    /// Commits what waits, and lets go of the directory; every later call throws `closed`.
    package func close() async {
        await engine.close { [self] in
            while queue.withLock({ $0.count }) > 0 { commitGroup() }
        }
    }
}
