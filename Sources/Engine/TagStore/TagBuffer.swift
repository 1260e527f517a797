package import HostSystem
internal import Synchronization

/// A persistent queue of tags that wait for delivery, limited by size and age.
///
/// A buffer is a directory with one owner. Tags are on the disk when `append` returns, unless its outcome says
/// `memoryOnly`. Every appended tag is delivered, still in the buffer, or counted in `losses()` by cause. Every call
/// that touches the disk runs on a dedicated thread, so no call blocks the caller's thread.
///
///     let buffer = try await TagBuffer.open(directory: path)
///     try await buffer.append([NewTag(body: bytes)])          // on the disk when it returns
///     let batch = try await buffer.nextBatch(maximumCount: 500, maximumByteCount: 512_000)
///     try await buffer.acknowledge(Acknowledgement(delivered: batch.map(\.sequence)))
///     await buffer.close()
public final class TagBuffer: Sendable {
    /// The id of the buffer, created with it and never changed.
    public let id: StoreID

    /// The problems that were found and repaired when the buffer was opened.
    package let findings: OpeningFindings

    /// The path of the buffer's folder.
    package var directory: String { engine.folder.path }

    /// The number of appends that wait for a commit.
    var waitingAppendCount: Int { queue.withLock { $0.count } }

    /// The thread that runs every commit.
    var thread: SerialThreadExecutor { engine.thread }

    let engine: StoreEngine
    private let queue: Mutex<AppendQueue>
    private let encoder: Mutex<BodyEncoder>
    private let clock: any HostClock
    private let maximumAppendByteCount: Int
    private let isDelivering = Mutex(false)
    /// The temporary files of a copied buffer, deleted together with this object.
    private let copy: StoreCopy?

    private init(
        engine: StoreEngine, id: StoreID, findings: OpeningFindings, encoder: consuming sending BodyEncoder,
        budget: StoreBudget, commitInterval: Duration, clock: any HostClock, copy: StoreCopy?
    ) {
        self.id = id
        self.findings = findings
        self.engine = engine
        self.clock = clock
        queue = Mutex(AppendQueue(interval: commitInterval))
        self.encoder = Mutex(encoder)
        maximumAppendByteCount = budget.maximumAppendByteCount
        self.copy = copy
    }

    deinit {
        let engine = engine
        engine.thread.enqueue { engine.assumeIsolated { $0.shut() } }
    }

    /// Opens the buffer in a directory and creates both if necessary, the directory with mode 0700.
    ///
    /// A damaged database is set aside, and its readable tags are salvaged; `findings` has the details.
    ///
    /// - Throws: `inUse` if another owner holds the buffer, `untrusted` if another user owns the directory or one of
    ///   its files, or every user may write to it, `notADirectory`, `readOnly`, `newerSchema`, `invalidSetting`,
    ///   `damaged`, `notAStore`, `database` or `system`.
    public static func open(
        directory: String, settings: StoreSettings = StoreSettings()
    ) async throws(StoreError) -> TagBuffer {
        try await open(directory: directory, settings: settings, clock: .system)
    }

    /// Opens a buffer that uses the given clock.
    ///
    /// - Parameter users: The users who may own the folder and its files. If these are all users, the files are
    ///   accessed as their owner.
    package static func open(
        directory: String, settings: StoreSettings = StoreSettings(), clock: any HostClock,
        trusting users: TrustedUsers = .own
    ) async throws(StoreError) -> TagBuffer {
        try await open(directory: directory, settings: settings, clock: clock, trusting: users, copy: nil)
    }

    /// Returns whether a folder contains a buffer, even a damaged one.
    package static func exists(in directory: String) -> Bool { StoreFolder(path: directory).hasBuffer }

    /// Opens a copy of a buffer on a read-only file system, for inspection only.
    ///
    /// The copy neither expires nor evicts tags.
    package static func openCopy(of directory: String, in temporaryFolder: String) async throws(StoreError)
        -> TagBuffer
    {
        let copy = try StoreCopy(of: StoreFolder(path: directory), in: temporaryFolder)
        let settings = StoreSettings(
            maximumByteCount: 1_000_000_000_000, maximumAge: .seconds(100_000_000_000),
            fullPolicy: .refuseNewest)
        return try await open(
            directory: copy.directory, settings: settings, clock: .system, trusting: .own, copy: copy)
    }

    private static func open(
        directory: String, settings: StoreSettings, clock: any HostClock, trusting users: TrustedUsers,
        copy: StoreCopy?
    ) async throws(StoreError) -> TagBuffer {
        try settings.check()
        let encoder = try BodyEncoder(dictionary: settings.dictionaries.last)
        let decoder = try BodyDecoder(dictionaries: settings.dictionaries)
        let thread: SerialThreadExecutor
        do throws(SystemError) {
            thread = try SerialThreadExecutor(name: "dtvr-buffer")
        } catch {
            throw .system(error)
        }
        let folder = StoreFolder(path: directory)
        let budget = StoreBudget(
            maximumByteCount: settings.maximumByteCount, roomByteCount: folder.roomByteCount)
        let engine = StoreEngine(
            folder, settings: settings, budget: budget, clock: clock, thread: thread, decoder: decoder)
        let (id, findings) = try await engine.open(trusting: users)
        return TagBuffer(
            engine: engine, id: id, findings: findings, encoder: encoder, budget: budget,
            commitInterval: settings.commitInterval, clock: clock, copy: copy)
    }

    // MARK: Appending

    /// Appends tags atomically and returns once they are synced to the disk.
    ///
    /// After a crash, either all tags of one call are present or none. Appends that wait at the same time share a
    /// commit. A bookmark becomes durable together with the tags; if the tags are kept in memory only, the bookmark is
    /// not stored. Held tags are excluded from batches until they are released or the buffer is opened again.
    ///
    /// - Throws: `full`, `appendTooLarge`, `overloaded` and `removed`, all counted as refused, and `closed`. A disk
    ///   that is full or read-only is not an error: the outcome then says that the tags are in memory only.
    @discardableResult
    package func append(
        _ tags: [NewTag], of owner: TagOwner = .nobody, bookmark: Bookmark? = nil, isHeld: Bool = false
    ) async throws(StoreError) -> AppendOutcome {
        do throws(StoreError) {
            return try await appendAtOnce(tags, of: owner, bookmark: bookmark, isHeld: isHeld)
        } catch {
            if case .appendTooLarge = error { countRefused(tags.count) }
            throw error
        }
    }

    /// Appends tags like `append`, but does not count tags that are too large, because the caller splits them.
    func appendAtOnce(
        _ tags: [NewTag], of owner: TagOwner, bookmark: Bookmark?, isHeld: Bool
    ) async throws(StoreError) -> AppendOutcome {
        guard !tags.isEmpty else { return AppendOutcome(sequences: nil, durability: .durable) }
        var append = try encode(tags, of: owner)
        append.bookmark = bookmark
        append.isHeld = isHeld
        let result: Result<AppendOutcome, StoreError> = await withCheckedContinuation { answer in
            submit(AppendQueue.Waiting(append: append, answer: answer))
        }
        return try result.get()
    }

    /// Makes held tags available for delivery, some of them with a new body.
    ///
    /// Runs in one transaction and ignores tags that are no longer in the buffer.
    package func release(_ tags: [ReleasedTag]) async throws(StoreError) {
        var tags = tags
        for index in tags.indices {
            if let body = tags[index].body { tags[index].store(as: stored(body)) }
        }
        try await engine.release(tags)
    }

    /// Returns a body in its stored form; nil if it is too large.
    private func stored(_ body: [UInt8]) -> (encoding: Int64, body: [UInt8])? {
        guard body.count <= NewTag.maximumBodyByteCount else { return nil }
        let encoded = encoder.withLock {
            $0.encode(
                [NewTag(id: TagID(high: 0, low: 0), body: body)], receivedWall: 0, receivedBoot: 0,
                limit: maximumAppendByteCount)
        }
        guard let encoded, let entry = encoded.entries.first else { return nil }
        return (entry.encoding, Array(encoded.bytes[entry.body]))
    }

    private func encode(_ tags: [NewTag], of owner: TagOwner) throws(StoreError) -> EncodedAppend {
        var refusal: StoreError?
        for tag in tags where tag.body.count > NewTag.maximumBodyByteCount {
            refusal = .appendTooLarge(byteCount: tag.body.count, limit: NewTag.maximumBodyByteCount)
        }
        if refusal == nil {
            let wall = clock.unixMilliseconds
            let boot = clock.sinceBoot.milliseconds
            let append = encoder.withLock {
                $0.encode(
                    tags, of: owner, receivedWall: wall, receivedBoot: boot, limit: maximumAppendByteCount)
            }
            if let append { return append }
        }
        let byteCount = tags.reduce(0) { $0 + $1.body.count }
        throw refusal ?? .appendTooLarge(byteCount: byteCount, limit: maximumAppendByteCount)
    }

    /// Counts tags that were never offered, because there was no memory for them, as refused.
    package func countRefused(_ count: Int) { engine.published.refuse(count) }

    /// Queues an encoded append for the next commit.
    private func submit(_ waiting: AppendQueue.Waiting) {
        switch queue.withLock({ $0.add(waiting) }) {
        case .beginCommit: beginCommit()
        case .none: break
        case .refuse:
            engine.published.refuse(waiting.append.rowCount)
            waiting.answer.resume(returning: .failure(.overloaded))
        }
    }

    private func beginCommit() {
        let wait = queue.withLock { $0.timeToStart(at: .now) }
        guard wait > .zero else { return engine.thread.enqueue { [self] in commitGroup() } }
        Task {
            do {
                try await Task.sleep(for: wait)
            } catch {
                // Nothing cancels the task.
            }
            engine.thread.enqueue { [self] in commitGroup() }
        }
    }

    /// Commits one group of queued appends, on the buffer's thread.
    private func commitGroup() {
        let limit = maximumAppendByteCount
        let group = queue.withLock {
            $0.takeGroup(rowCount: StoreBudget.groupRowCount, byteCount: limit, at: .now)
        }
        let results = engine.assumeIsolated { $0.append(group.map(\.append)) }
        for (waiting, result) in zip(group, results) { waiting.answer.resume(returning: result) }
        if queue.withLock({ $0.endCommit() }) { beginCommit() }
        engine.assumeIsolated { $0.rest() }
    }

    // MARK: Delivery

    /// Reserves the delivery for a caller; returns false if another one delivers from the buffer.
    package func beginDelivery() -> Bool {
        isDelivering.withLock { isDelivering in
            defer { isDelivering = true }
            return !isDelivering
        }
    }

    /// Ends the delivery of the caller that `beginDelivery` has reserved it for.
    package func endDelivery() { isDelivering.withLock { $0 = false } }

    /// Returns the oldest tags in order: at least one if there is any, and otherwise no more than both limits allow.
    ///
    /// The batch is in flight until it is acknowledged or the next one is requested. Tags in flight are protected from
    /// eviction, expiry and pruning, so that no tag is counted as lost during its delivery. They are evicted only if
    /// there is nothing else to evict. The batch is a copy and holds no resources.
    ///
    /// - Parameters:
    ///   - maximumCount: 1 to 10,000.
    ///   - maximumByteCount: The limit for the uncompressed bodies.
    ///   - sequence: Only tags after this sequence are returned.
    ///   - inFlight: The sequences of a batch that is being delivered while this one is prefetched; they stay in
    ///     flight.
    package func nextBatch(
        maximumCount: Int, maximumByteCount: Int, after sequence: Int64 = 0,
        keeping inFlight: ClosedRange<Int64>? = nil
    ) async throws(StoreError) -> [StoredTag] {
        try await engine.nextBatch(
            maximumCount: maximumCount, maximumByteCount: maximumByteCount, after: sequence, keeping: inFlight
        )
    }

    /// Removes delivered tags and turns refused tags into dead letters.
    ///
    /// Uses one transaction for every 500 delivered tags. The last one includes the refused tags and the delivery
    /// state. Sequences that are no longer in the buffer are ignored.
    package func acknowledge(_ answer: Acknowledgement) async throws(StoreError) {
        try await engine.acknowledge(answer)
    }

    /// Returns the last state that the sender set; empty in a new store.
    package func deliveryState() async throws(StoreError) -> [UInt8] {
        try await engine.deliveryState()
    }

    /// Compares the wall clock with the time of a server, in Unix milliseconds.
    ///
    /// A wall clock within five minutes of the server's time is trusted until it is set.
    package func confirmClock(serverTime: Int64) async {
        await engine.confirmClock(serverTime: serverTime)
    }

    // MARK: Queries

    /// Returns the number of tags lost since the buffer was created, by cause.
    public func losses() -> LossTotals { engine.published.totals.losses }

    /// Returns the number of tags ever offered, by what became of them.
    public func totals() -> StoreTotals { engine.published.totals }

    /// Returns the position of a reader when its last tags became durable; nil if there is none, or it was damaged.
    package func bookmark(of reader: String, in channel: String) async throws(StoreError) -> Int64? {
        try await engine.bookmark(of: reader, in: channel)
    }

    /// Returns the high 64 bits of the ids of the newest tags stored for a channel, oldest first.
    ///
    /// Empty if none are stored, or if the entry was damaged.
    package func recentTags(of channel: String) async throws(StoreError) -> [Bookmark.RecentTag] {
        try await engine.recentTags(of: channel)
    }

    /// Returns a snapshot of the buffer.
    package func status() async throws(StoreError) -> StoreStatus {
        try await engine.status()
    }

    /// Checks that the directory still contains the open files.
    ///
    /// - Throws: `removed` or `closed`.
    package func checkInPlace() async throws(StoreError) {
        try await engine.checkInPlace()
    }

    /// Returns the tags after a sequence, oldest first.
    ///
    /// To read all tags, call it again with the sequence of the last tag returned. The tags are not protected from
    /// eviction.
    ///
    /// - Parameter maximumCount: 1 to 10,000.
    package func tags(after sequence: Int64 = 0, maximumCount: Int) async throws(StoreError) -> [StoredTag] {
        try await engine.tags(after: sequence, maximumCount: maximumCount)
    }

    /// Returns the dead letters after a sequence, oldest first.
    ///
    /// The oldest dead letters are deleted when they exceed their size limit.
    package func deadLetters(
        after sequence: Int64 = 0, maximumCount: Int
    ) async throws(StoreError) -> [DeadLetter] {
        try await engine.deadLetters(after: sequence, maximumCount: maximumCount)
    }

    /// Moves all dead letters back to the waiting tags, each under its original sequence, and returns their number.
    public func retryDeadLetters() async throws(StoreError) -> Int64 {
        try await engine.retryDeadLetters()
    }

    /// Reads and verifies every row; changes nothing.
    ///
    /// It takes as long as reading the whole buffer.
    public func verify() async throws(StoreError) -> StoreVerification {
        try await engine.verify()
    }

    /// Writes the tags that are in memory only.
    ///
    /// - Returns: Whether every appended tag is now on the disk.
    /// - Throws: `removed` if the files are gone, or `closed`.
    package func flush() async throws(StoreError) -> Bool { try await engine.flush() }

    /// Commits the queued appends and closes the buffer; every later call throws `closed`.
    public func close() async {
        await engine.close { [self] in
            while queue.withLock({ $0.count }) > 0 { commitGroup() }
        }
    }
}

extension TagBuffer {
    /// Sets the number of equal shares of the buffer that an owner may use, at least 1.
    ///
    /// When the buffer is full, the oldest tags of an owner above its share are evicted before the oldest tags overall.
    /// The default is one share. If no shares are set at all, the oldest tags are evicted regardless of their owner.
    package func setEqualShares(_ count: Double, of owner: TagOwner) {
        engine.shares.set(count, of: owner)
    }

    /// Removes the shares of all other owners; the bookmarks of these expire like tags.
    package func keepShares(of owners: Set<TagOwner>) { engine.shares.keep(owners) }

    /// Returns and clears the owners that lost tags because they exceeded their share of the buffer.
    package func takeLosingOwners() -> Set<TagOwner> { engine.published.takeLosing() }
}
