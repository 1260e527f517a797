package import HostSystem
internal import Synchronization

/// The buffer that tags wait in until they are delivered: bounded in bytes and days, and safe from the moment
/// `append` returns.
///
/// A buffer is a directory with one owner. Whatever was appended is delivered, or still there, or counted in
/// `losses()` by its cause: nothing else can become of a tag. Every call that touches the disk runs on a thread
/// of the buffer's own, so none blocks the caller's.
///
///     let buffer = try await TagBuffer.open(directory: path)
///     try await buffer.append([NewTag(body: bytes)])          // on the disk when it returns
///     let batch = try await buffer.nextBatch(maximumCount: 500, maximumByteCount: 512_000)
///     try await buffer.acknowledge(Acknowledgement(delivered: batch.map(\.sequence)))
///     await buffer.close()
public final class TagBuffer: Sendable {
    /// The buffer's id: made with it, and its own for ever.
    public let id: StoreID

    /// What was found, and done about it, when the buffer was opened.
    package let findings: OpeningFindings

    /// How many appends wait for a commit.
    var waitingAppendCount: Int { queue.withLock { $0.count } }

    /// The thread that every commit runs on.
    var thread: SerialThreadExecutor { engine.thread }

    let engine: StoreEngine
    private let queue: Mutex<AppendQueue>
    private let encoder: Mutex<BodyEncoder>
    private let clock: any HostClock
    private let maximumAppendByteCount: Int
    /// The files of a buffer that is a copy, which go with it.
    private let copy: StoreCopy?

    private init(
        engine: StoreEngine, opening: StoreEngine.Opening, encoder: consuming sending BodyEncoder,
        budget: StoreBudget, clock: any HostClock, copy: StoreCopy?
    ) {
        id = opening.id
        findings = opening.findings
        self.engine = engine
        self.clock = clock
        queue = Mutex(AppendQueue())
        self.encoder = Mutex(encoder)
        maximumAppendByteCount = budget.maximumAppendByteCount
        self.copy = copy
    }

    deinit {
        let engine = engine
        engine.thread.enqueue { engine.assumeIsolated { $0.shut() } }
    }

    /// Opens the buffer of a directory; makes both where there are none, the directory with mode 0700.
    ///
    /// A damaged database is set aside and what can be read of it is taken over: `findings` tells.
    ///
    /// - Throws: `inUse` where another owner has it, `notADirectory`, `readOnly`, `newerSchema`,
    ///   `invalidSetting`, `damaged`, `notAStore`, `database` or `system`.
    public static func open(
        directory: String, settings: StoreSettings = StoreSettings()
    ) async throws(StoreError) -> TagBuffer {
        try await open(directory: directory, settings: settings, clock: .system)
    }

    /// Opens a buffer that goes by another clock.
    package static func open(
        directory: String, settings: StoreSettings = StoreSettings(), clock: any HostClock
    ) async throws(StoreError) -> TagBuffer {
        try await open(directory: directory, settings: settings, clock: clock, copy: nil)
    }

    /// Opens a copy of a buffer that lies on a file system that cannot be written, for somebody who only looks.
    ///
    /// No tag goes from it for its age or for a bound.
    package static func openCopy(of directory: String, in temporaryFolder: String) async throws(StoreError)
        -> TagBuffer
    {
        let copy = try StoreCopy(of: StoreFolder(path: directory), in: temporaryFolder)
        let settings = StoreSettings(
            maximumByteCount: 1_000_000_000_000, maximumAge: .seconds(100_000_000_000),
            fullPolicy: .refuseNewest)
        return try await open(directory: copy.directory, settings: settings, clock: .system, copy: copy)
    }

    private static func open(
        directory: String, settings: StoreSettings, clock: any HostClock, copy: StoreCopy?
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
        let opening = try await engine.open()
        return TagBuffer(
            engine: engine, opening: opening, encoder: encoder, budget: budget, clock: clock, copy: copy)
    }

    // MARK: In

    /// Appends tags, all or none, and returns once they are synced to the disk.
    ///
    /// The tags of one call are never parted: after a crash all of them are there or none. Appends that wait at
    /// the same time share a commit. A bookmark becomes durable with the tags; of tags that are in memory only, none is
    /// kept. Tags that are held are in no batch until they are released, or until the buffer is opened again.
    ///
    /// - Throws: `full` and `appendTooLarge` (counted as refused), `overloaded` and `removed` (likewise), `closed`. A disk
    ///   that takes nothing is no error: the outcome says that the tags are in memory.
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

    /// Appends tags as `append` does, but counts nothing where they are too large: the caller parts them.
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

    /// Lets tags be delivered that were appended as held, some of them with another body.
    ///
    /// One transaction; what is no longer there is passed over.
    package func release(_ tags: [ReleasedTag]) async throws(StoreError) {
        let rows = tags.map { tag in
            ReleasedRow(sequence: tag.sequence, stored: tag.body.flatMap(stored))
        }
        try await engine.release(rows)
    }

    /// A body as it is stored; nil where it is too large to be.
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

    func countRefused(_ count: Int) { engine.published.refuse(count) }

    /// Has an encoded append wait for its commit.
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
        engine.thread.enqueue { [self] in commitGroup() }
    }

    /// One commit of appends that waited, on the buffer's thread.
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
    /// The batch is in flight until it is acknowledged or the next is asked for: spared from eviction, expiry and
    /// pruning, so that no tag is counted as lost while it is being delivered; only where nothing else is left to
    /// evict is it not. It is a copy: nothing is held open.
    ///
    /// - Parameters:
    ///   - maximumCount: 1 to 10,000.
    ///   - maximumByteCount: Of the bodies, uncompressed.
    ///   - sequence: Only tags after this one.
    ///   - inFlight: The sequences of a batch that is being delivered while this one is prefetched: it stays in
    ///     flight too.
    package func nextBatch(
        maximumCount: Int, maximumByteCount: Int, after sequence: Int64 = 0,
        keeping inFlight: ClosedRange<Int64>? = nil
    ) async throws(StoreError) -> [StoredTag] {
        try await engine.nextBatch(
            maximumCount: maximumCount, maximumByteCount: maximumByteCount, after: sequence, keeping: inFlight
        )
    }

    /// Removes what was delivered and makes dead letters of what was refused, in one transaction for every 500
    /// delivered; the refused and the delivery state go with the last.
    ///
    /// Sequences that are no longer there are passed over.
    package func acknowledge(_ answer: Acknowledgement) async throws(StoreError) {
        try await engine.acknowledge(answer)
    }

    /// The sender's own state, as it was set last; empty in a new store.
    package func deliveryState() async throws(StoreError) -> [UInt8] {
        try await engine.deliveryState()
    }

    /// Keeps the sender's own state: at most 4,096 bytes.
    package func setDeliveryState(_ state: [UInt8]) async throws(StoreError) {
        try await engine.acknowledge(Acknowledgement(deliveryState: state))
    }

    /// Takes note of a time that a server sent, in milliseconds of Unix time.
    ///
    /// A wall clock within five minutes of it is trusted until it is set.
    package func confirmClock(serverTime: Int64) async {
        await engine.confirmClock(serverTime: serverTime)
    }

    // MARK: Looking

    /// How many tags were lost since the buffer was made, by cause.
    public func losses() -> LossTotals { engine.published.totals.losses }

    /// Every tag that was ever offered, and where it is.
    public func totals() -> StoreTotals { engine.published.totals }

    /// Where a reader was when its last tags became durable; nil where it never was, or damage took the bookmark.
    package func bookmark(of reader: String) async throws(StoreError) -> Int64? {
        try await engine.bookmark(of: reader)
    }

    /// The first halves of the ids of the newest tags that were stored of a channel, oldest first; empty where none are
    /// kept, or damage took them.
    package func recentTags(of channel: String) async throws(StoreError) -> [UInt64] {
        try await engine.recentTags(of: channel)
    }

    /// The buffer at a glance.
    package func status() async throws(StoreError) -> StoreStatus {
        try await engine.status()
    }

    /// Makes sure that the directory still has the files that are open.
    ///
    /// - Throws: `removed`, or `closed`.
    package func checkInPlace() async throws(StoreError) {
        try await engine.checkInPlace()
    }

    /// The tags after a sequence, oldest first: at most `maximumCount`, which is 1 to 10,000.
    ///
    /// To go through all, ask again after the last one's sequence. Spares nothing from eviction.
    package func tags(after sequence: Int64 = 0, maximumCount: Int) async throws(StoreError) -> [StoredTag] {
        try await engine.tags(after: sequence, maximumCount: maximumCount)
    }

    /// The dead letters after a sequence, oldest first, at most `maximumCount`; beyond their bound the oldest go.
    package func deadLetters(
        after sequence: Int64 = 0, maximumCount: Int
    ) async throws(StoreError) -> [DeadLetter] {
        try await engine.deadLetters(after: sequence, maximumCount: maximumCount)
    }

    /// Puts all dead letters back among the tags that wait, each in its old place, and says how many they were.
    package func retryDeadLetters() async throws(StoreError) -> Int64 {
        try await engine.retryDeadLetters()
    }

    /// Reads every row and checks everything that can be checked; changes nothing.
    package func verify() async throws(StoreError) -> StoreVerification {
        try await engine.verify()
    }

    // MARK: Away

    /// Removes the tags that are older than an age, by the same rules as expiry but without asking for trust, and
    /// says how many.
    ///
    /// - Parameter age: `.zero` removes all.
    @discardableResult
    package func prune(olderThan age: Duration) async throws(StoreError) -> Int64 {
        try await engine.prune(olderThan: age)
    }

    /// Removes the dead letters that were refused longer ago than an age, and says how many; they stay counted.
    @discardableResult
    package func pruneDeadLetters(olderThan age: Duration) async throws(StoreError) -> Int64 {
        try await engine.pruneDeadLetters(olderThan: age)
    }

    /// Removes the tags that are too old; `append` and `nextBatch` do so once a minute by themselves.
    package func expire() async throws(StoreError) {
        try await engine.expire()
    }

    /// Writes the tags that are in memory only.
    ///
    /// - Returns: whether every tag that was appended is on the disk now.
    /// - Throws: `removed` where the files are gone, `closed`.
    package func flush() async throws(StoreError) -> Bool { try await engine.flush() }

    /// Commits what waits, and lets go of the directory; every later call throws `closed`.
    public func close() async {
        await engine.close { [self] in
            while queue.withLock({ $0.count }) > 0 { commitGroup() }
        }
    }
}
