import HostSystem
import Synchronization
import TagDelivery
import TagStore

/// A folder that sessions measure into: its buffer with the writes that wait for it, and the identity of its device.
///
/// All sessions of this process that use the folder share it. Adding a write never waits for the disk.
final class MeasurementFolder: Sendable {
    /// Receives failures of the disk or the buffer, and changes of the delivery.
    typealias Reporter = @Sendable (DeliveryChange) -> Void

    /// A session that writes into the folder.
    struct Writer: Sendable {
        var report: Reporter?
        var storage = SessionStorage()
        /// The number of tags that the buffer had delivered before; nil until it is open.
        var earlierCount: Int64?
        /// Whether its records are appended to the quarantine until the next `admit`.
        var isInQuarantine = false
        /// Whether tags of the session, or tags that were only in memory and possibly its own, were lost.
        var hasLost = false
    }

    struct State: Sendable {
        var queue = WriteQueue<SessionRecord>()
        var writers: [UInt64: Writer] = [:]
        var nextWriter: UInt64 = 0
        /// The buffer, open or not, while the folder has writers.
        var buffer: FolderBuffer?
        /// The task that closes the buffer of earlier writers; the next one waits for it.
        var closing: Task<Void, Never>?
        /// The opened buffer that the following numbers belong to.
        var opened: BufferAccess?
        /// The sequences of held records.
        var sequences: [HeldRecord: Int64] = [:]
        /// The number of tags that the buffer had lost from memory at the last check.
        var memoryLostCount: Int64 = 0
        /// The failure that the writers know of; nil while the disk works.
        var trouble: SessionErrorCode?
        /// The number of tags that had left the buffer when it was last full; nil if it was not.
        var fullAt: Int64?
        /// The number of records without room in the queue that the buffer does not know of yet.
        var uncountedLosses = 0
        /// Whether another process owns the buffer, and does not serve it.
        var isInUse = false
        /// Whether a task tries to write the tags that are only in memory.
        var isRecovering = false
    }

    /// A weak reference: the sessions of the folder, and its own tasks, keep it alive.
    private struct Known: Sendable {
        weak var folder: MeasurementFolder?
    }

    private static let known = Mutex<[String: Known]>([:])

    /// The identity of the device and its user.
    let identity: FolderIdentity
    private let directory: String
    /// Whether the caller of the sessions opened the buffer, and closes it.
    private let isLent: Bool
    private let state: Mutex<State>

    private init(directory: String, lent buffer: FolderBuffer? = nil) {
        self.directory = directory
        identity = FolderIdentity(directory: directory)
        isLent = buffer != nil
        var state = State()
        // A replay waits for the disk; the calls of a player do not.
        if isLent { state.queue = WriteQueue(isBounded: false) }
        state.buffer = buffer
        self.state = Mutex(state)
    }

    /// Returns the folder at a path, which all sessions of this process share.
    ///
    /// `a`, `a/` and a symbolic link to `a` are one folder.
    static func shared(_ path: String) -> MeasurementFolder {
        let directory = path.isEmpty ? "" : FileSystem.canonicalPath(path)
        return known.withLock { known in
            if let folder = known[directory]?.folder { return folder }
            known = known.filter { $0.value.folder != nil }
            let folder = MeasurementFolder(directory: directory)
            known[directory] = Known(folder: folder)
            return folder
        }
    }

    /// Creates a folder whose buffer the caller opens, delivers from, and closes.
    convenience init(lending buffer: TagBuffer, directory: String, clock: any HostClock) {
        self.init(directory: directory, lent: FolderBuffer(lent: buffer, clock: clock))
    }

    // MARK: Writers

    /// Adds a writer, and returns its number.
    ///
    /// The settings and the clock of the first writer apply until the last one leaves.
    func join(settings: StoreSettings, clock: any HostClock) -> UInt64 {
        state.withLock { state in
            defer { state.nextWriter += 1 }
            if state.buffer == nil {
                state.buffer = FolderBuffer(
                    directory: directory, settings: settings, clock: clock, after: state.closing
                ) { [weak self] in self?.report($0) }
            }
            state.writers[state.nextWriter] = Writer(earlierCount: state.opened?.totals.delivered)
            return state.nextWriter
        }
    }

    /// Reports failures to a writer, each kind once until the disk works again, and changes of the delivery.
    func reportFailures(to writer: UInt64, _ report: @escaping Reporter) {
        state.withLock { $0.writers[writer]?.report = report }
    }

    /// Removes a writer; after the last one, writes the pending tags and closes the buffer.
    ///
    /// If another process still owns the buffer at `end`, the writer leaves later, once its tags are written.
    ///
    /// - Returns: whether all that it stored is on the disk, and the numbers of tags; nil if it has already left.
    func leave(
        _ number: UInt64, until end: Duration = MeasurementFolder.noEnd
    ) async -> (isStored: Bool, delivered: Int64, waiting: Int64)? {
        guard state.withLock({ $0.writers[number] != nil }) else { return nil }
        var isStored = await flush(number, until: end)
        if !isStored, isInUse {
            Task.detached { [self] in _ = await leave(number) }
            // They are in memory only, so no other session or launch sends them.
            return (false, 0, 0)
        }
        let (opened, writer) = state.withLock { ($0.opened, $0.writers[number]) }
        let lostCount = opened?.totals.losses.memoryLost
        let closing = state.withLock { state -> Task<Void, Never>? in
            state.remove(number)
            return isLent ? nil : state.closeIfUnused()
        }
        await closing?.value
        guard let writer else { return nil }
        if closing != nil, let opened = opened?.owned {
            // Closing wrote or lost the tags that were only in memory.
            let hasLost = writer.hasLost || opened.totals().losses.memoryLost != lostCount
            isStored = writer.storage.queued == 0 && !hasLost
        }
        // Without a buffer, the tags in memory are lost with the last writer.
        guard let totals = opened?.totals else { return (isStored, 0, 0) }
        return (isStored, totals.delivered - (writer.earlierCount ?? 0), totals.inStore + totals.overflow)
    }

    /// Returns the number of a writer's stored tags in each place.
    func storage(of writer: UInt64) -> SessionStorage {
        state.withLock { $0.writers[writer]?.storage ?? SessionStorage() }
    }

    /// Whether another process owns the buffer, and does not serve it; tags wait in memory until it is free.
    var isInUse: Bool { state.withLock { $0.isInUse } }

    /// The counts of all tags ever offered to the buffer; nil while it is not open.
    var totals: StoreTotals? { state.withLock { $0.buffer }?.current?.totals }

    // MARK: Writes

    /// Enqueues writes of a writer.
    ///
    /// Safe to call with a lock held: it only enqueues.
    ///
    /// - Returns: whether the caller must call `beginWriting` after unlocking, and whether a tag was lost because the
    ///   queue is full.
    func add(_ writes: [SessionWrite], of writer: UInt64) -> (begins: Bool, hasLostTag: Bool) {
        state.withLock { state in
            guard let lostCount = state.writers[writer]?.storage.lost else { return (false, false) }
            for write in writes { state.add(write, of: writer) }
            let hasLostTag = state.writers[writer]?.storage.lost != lostCount
            if hasLostTag { state.writers[writer]?.hasLost = true }
            return (state.queue.begin(), hasLostTag)
        }
    }

    /// Waits while more than half of the queue is used.
    func waitForRoom(_ writer: UInt64) async {
        if state.withLock({ $0.queue.isCrowded }) { _ = await flush(writer, until: .zero) }
    }

    /// Starts the task that performs the enqueued writes.
    func beginWriting() {
        Task.detached(priority: .high) { [self] in
            while let group = state.withLock({ $0.queue.next() }) { await perform(group) }
        }
    }

    /// The end of a wait without a limit.
    static let noEnd = Duration.seconds(Int64.max)

    /// Waits until all earlier writes are done.
    ///
    /// - Parameter end: the time since boot until which to wait while another process owns the buffer.
    /// - Returns: whether everything is on the disk, and no tag that the writer may have stored was lost.
    func flush(_ writer: UInt64, until end: Duration) async -> Bool {
        let isOnDisk = await enqueueFlush(until: end)
        return state.withLock { isOnDisk && $0.writers[writer]?.hasLost == false }
    }

    /// Opens the buffer, and waits until all earlier writes are done; returns whether everything is on the disk.
    private func enqueueFlush(until end: Duration = .zero) async -> Bool {
        await withCheckedContinuation { continuation in
            let begins = state.withLock { state in
                _ = state.queue.add(.flush(FlushCaller(continuation, until: end)))
                return state.queue.begin()
            }
            if begins { beginWriting() }
        }
    }

    /// Performs writes of one kind, and retries them until they succeed or all writers have left.
    private func perform(_ group: WriteGroup<SessionRecord>) async {
        var group = group
        var failureCount = 0
        var ownerCount = 0
        while let buffer = state.withLock({ $0.beginAttempt() }) {
            do throws(StoreError) {
                return try await perform(group, in: buffer)
            } catch {
                guard state.withLock({ $0.buffer === buffer }) else { continue }
                if case .remote = error {
                    await discard(buffer)
                    ownerCount += 1
                    // The owner was slow and answers again, or it has ended, and this process or another takes over.
                    if ownerCount == 1 { continue }
                }
                fail(error)
                if !error.isRetriable { await discard(buffer) }
            }
            // Another process may end soon, so callers wait for it; other failures are answered at once.
            let time = isInUse ? buffer.sinceBoot : nil
            group.answerCallers(dueAt: time)
            for caller in state.withLock({ $0.queue.takeCallers(dueAt: time) }) { caller.answer(false) }
            if group.isAnswered { return }
            failureCount += 1
            await buffer.pause(min(.seconds(1), .milliseconds(20 * failureCount)))
        }
        group.answerCallers()
    }

    private func perform(
        _ group: WriteGroup<SessionRecord>, in buffer: FolderBuffer
    ) async throws(StoreError) {
        let opened = try await buffer.open()
        // Another process may have changed the user's choice since the last append.
        if case .append = group, !isLent { identity.refresh() }
        let lostCount = state.withLock { state in
            state.adopt(opened)
            defer { state.uncountedLosses = 0 }
            return state.uncountedLosses
        }
        if lostCount > 0 {
            opened.countRefused(lostCount)
            fail(.overloaded)
        }
        // Callers ask about the disk now, whatever the last attempt to open the database found.
        if state.withLock({ $0.queue.callerCount > 0 }) { _ = try await opened.flush() }
        let ingest = TagIngest(into: opened)
        switch group {
        case .append(let added, let isQuarantined):
            let requests = state.withLock { state in
                added.filter { request in
                    guard identity.isOptedOutElsewhere, !request.record.isOptedOut else { return true }
                    state.finish(request, .refused)
                    return false
                }
            }
            let isHeld = requests.first?.held != nil
            let placements = try await ingest.append(
                requests.map(\.record.stored), isHeld: isHeld, isQuarantined: isQuarantined)
            state.withLock { state in
                for (request, placement) in zip(requests, placements) { state.finish(request, placement) }
                // A smaller tag may fit into a full buffer, which still refuses others.
                let leftCount = opened.totals.accepted &- opened.totals.inStore
                if placements.contains(.refused) {
                    state.fullAt = leftCount
                } else if placements.contains(where: \.isDurable), state.fullAt != leftCount {
                    (state.trouble, state.fullAt) = (nil, nil)
                }
            }
            if placements.contains(where: { !$0.isDurable && $0.sequence != nil }) {
                fail(.database(code: 0, message: "the disk is full or read-only"))
                recover()
            }
            if placements.contains(.refused) { fail(.full) }
        case .release(let requests):
            let sequences = state.withLock { state in requests.map { state.sequences[$0.held] } }
            try await ingest.release(
                zip(requests, sequences).compactMap { request, sequence in
                    sequence.map { ($0, request.record?.stored) }
                })
            state.withLock { state in for request in requests { state.sequences[request.held] = nil } }
        case .admit(let isDeleting): _ = try await opened.admit(deleting: isDeleting)
        case .flush(let callers):
            // Writes the tags in memory, if the disk works again.
            let isOnDisk = try await opened.flush()
            state.withLock { $0.checkLosses() }
            for caller in callers { caller.answer(isOnDisk) }
        }
    }

    /// Writes the tags that are only in memory as soon as the disk accepts them, without waiting for another write.
    private func recover() {
        let begins = state.withLock { state in
            defer { state.isRecovering = true }
            return !state.isRecovering
        }
        if !begins { return }
        Task.detached { [self] in
            while let buffer = state.withLock({ $0.writers.isEmpty ? nil : $0.buffer }) {
                await buffer.pause(.seconds(1))
                if await enqueueFlush() { break }
            }
            state.withLock { $0.isRecovering = false }
        }
    }

    /// Discards a buffer that is no longer usable; the next write opens another one.
    private func discard(_ buffer: FolderBuffer) async {
        await buffer.discard()
        state.withLock { $0.checkLosses() }
    }

    /// Reports a failure to the writers, once for each kind until the disk works again.
    private func fail(_ error: StoreError) {
        let code: SessionErrorCode =
            switch error {
            case .readOnly, .notADirectory, .untrusted, .system, .removed, .full, .overloaded: .fileWrite
            default: .database
            }
        let (isNew, buffer) = state.withLock { state in
            defer { state.trouble = code }
            state.isInUse = if case .inUse = error { true } else { false }
            return (state.trouble != code, state.buffer)
        }
        if let buffer, buffer.current == nil { buffer.suspend(.retrying, .database, error.description) }
        if isNew { report(.failed(code, error.description)) }
    }

    private func report(_ change: DeliveryChange) {
        for report in state.withLock({ $0.writers.values.compactMap(\.report) }) { report(change) }
    }

    // MARK: Delivery

    /// The state of the delivery; nil if no session has a collector.
    var delivery: SessionDelivery? {
        let (buffer, queuedCount, heldCount) = state.withLock { state in
            (state.buffer, state.writers.values.reduce(0) { $0 + $1.storage.queued }, state.sequences.count)
        }
        guard var delivery = buffer?.delivery else { return nil }
        guard delivery.state == .idle else { return delivery }
        let waiting = buffer?.current.map { $0.totals.inStore + $0.totals.overflow }
        // Tags of earlier launches may wait in a buffer that is not open yet.
        if queuedCount > 0 || waiting.map({ $0 > heldCount }) ?? true { delivery.state = .sending }
        return delivery
    }

    /// Opens the buffer and delivers from it; returns the destination that applies until the last writer leaves.
    func deliver(to destination: UploadDestination) -> UploadDestination {
        state.withLock { $0.buffer }?.deliver(to: destination) { [self] in await enqueueFlush() }
            ?? destination
    }

    /// Sends the waiting tags at once, whatever the interval.
    func upload() { state.withLock { $0.buffer }?.upload() }

    /// Writes and delivers what is stored so far, and waits until that is done or cannot be done before `end`.
    ///
    /// Returns early if the task is cancelled.
    ///
    /// - Returns: whether the stored tags have left the buffer, except held ones.
    func deliver(until end: Duration) async -> Bool {
        let isOnDisk = await enqueueFlush(until: end)
        let (buffer, heldCount) = state.withLock { ($0.buffer, $0.sequences.count) }
        guard let buffer, buffer.delivery != nil else { return false }
        if case .remote(let owner) = buffer.current {
            return await buffer.waitForOwner(owner, heldCount: heldCount, until: end) && isOnDisk
        }
        return await buffer.deliver(until: end) && isOnDisk
    }

    /// Returns the numbers of tags of the folder at this moment.
    ///
    /// - Parameters:
    ///   - earlierCount: the number of tags that the buffer had delivered before; nil for those since it was opened.
    ///   - writer: the session that asks.
    func tally(since earlierCount: Int64?, of writer: UInt64) -> (delivered: Int64, waiting: Int64, held: Int)
    {
        let (buffer, queuedCount, heldCount, openedCount) = state.withLock { state in
            (
                state.buffer, state.writers.values.reduce(0) { $0 + $1.storage.queued },
                state.sequences.count,
                state.writers[writer]?.earlierCount
            )
        }
        guard let totals = buffer?.current?.totals else { return (0, Int64(queuedCount), heldCount) }
        let before = earlierCount ?? openedCount ?? totals.delivered
        return (
            max(0, totals.delivered - before), totals.inStore + totals.overflow + Int64(queuedCount),
            heldCount
        )
    }
}

extension WriteGroup {
    /// Whether the group consisted of callers, which have all been answered.
    fileprivate var isAnswered: Bool {
        if case .flush(let callers) = self { callers.isEmpty } else { false }
    }

    /// Removes the callers that wait at most until a time since boot, and answers that not everything is on the disk.
    ///
    /// - Parameter time: nil for all callers.
    fileprivate mutating func answerCallers(dueAt time: Duration? = nil) {
        guard case .flush(let callers) = self else { return }
        for caller in callers where caller.isDue(at: time) { caller.answer(false) }
        self = .flush(callers.filter { !$0.isDue(at: time) })
    }
}
