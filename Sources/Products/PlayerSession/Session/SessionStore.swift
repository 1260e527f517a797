import Glibc
import HTTPTransfer
import HostSystem
import NielsenID3
import StreamHealth
import Synchronization
import TagDelivery
import TagRecord
import TagStore

/// The buffer of a folder, shared by all sessions of this process that use the folder, behind a queue.
///
/// Adding to the queue never waits for the disk.
final class SessionStore: Sendable {
    /// Receives failures of the disk or the buffer.
    typealias Reporter = @Sendable (SessionErrorCode, String) -> Void

    fileprivate struct User: Sendable {
        let report: Reporter
        var storage = SessionStorage()
        /// Whether tags that were only in memory were lost during the session, possibly its own.
        var hasLost = false
    }

    fileprivate struct State: Sendable {
        var orders = StoreOrders()
        var isRunning = false
        var buffer: TagBuffer?
        /// The number of tags that the buffer had lost from memory at the last check.
        var memoryLostCount: Int64 = 0
        var users: [UInt64: User] = [:]
        var nextUser: UInt64 = 0
        /// The sequence numbers of held tags in the buffer, by session and tag number.
        var places: [UInt64: [UInt64: Int64]] = [:]
        var trouble: SessionErrorCode?
        var destination: StoreDestination?
        var uploading: Task<Void, Never>?
        /// The task that closes the buffer of ended sessions; reopening waits for it.
        var closing: Task<Void, Never>?
    }

    private static let shared = Mutex<[String: SessionStore]>([:])
    private static let policy = HealthPolicy()

    let directory: String
    private let settings: StoreSettings
    private let clock: any HostClock
    private let isShared: Bool
    private let state: Mutex<State>

    private init(directory: String, settings: StoreSettings, clock: any HostClock) {
        self.directory = directory
        self.settings = settings
        self.clock = clock
        isShared = true
        state = Mutex(State())
    }

    /// Returns the store of a folder, which its sessions share, with the settings of the first.
    ///
    /// It stays registered until its buffer is closed: a session that starts in the meantime waits for that in its
    /// queue.
    ///
    /// - Parameter directory: the canonical path of the folder.
    static func shared(
        directory: String, settings: StoreSettings, clock: any HostClock
    ) -> SessionStore {
        shared.withLock { stores in
            if let known = stores[directory] { return known }
            let store = SessionStore(directory: directory, settings: settings, clock: clock)
            stores[directory] = store
            return store
        }
    }

    /// Creates a store with a buffer that the caller opens and closes.
    init(buffer: TagBuffer, clock: any HostClock) {
        directory = ""
        settings = StoreSettings()
        self.clock = clock
        isShared = false
        var state = State()
        state.buffer = buffer
        self.state = Mutex(state)
    }

    // MARK: Users

    /// Adds a session, and returns its number.
    func join(_ report: @escaping Reporter) -> UInt64 {
        state.withLock { state in
            defer { state.nextUser += 1 }
            state.users[state.nextUser] = User(report: report)
            return state.nextUser
        }
    }

    /// Removes a session; after the last one, writes the pending tags and closes the buffer.
    ///
    /// - Returns: whether everything that the session stored is on the disk.
    func leave(_ session: UInt64) async -> Bool {
        let isStored = await settle(session)
        let (buffer, user) = state.withLock { ($0.buffer, $0.users[session]) }
        let lostCount = buffer?.totals().losses.memoryLost
        let closing = state.withLock { state -> Task<Void, Never>? in
            state.users[session] = nil
            state.places[session] = nil
            guard isShared, state.users.isEmpty else { return nil }
            return state.close()
        }
        await closing?.value
        unregisterIfUnused()
        guard closing != nil, let buffer, let user else { return isStored }
        // Closing wrote or lost the tags that were only in memory.
        return user.storage.queued == 0 && !user.hasLost
            && buffer.totals().losses.memoryLost == lostCount
    }

    private func unregisterIfUnused() {
        Self.shared.withLock { stores in
            let isUnused = state.withLock { $0.users.isEmpty && $0.buffer == nil && !$0.isRunning }
            if isUnused, stores[directory] === self { stores[directory] = nil }
        }
    }

    /// Returns the number of a session's stored tags in each place.
    func storage(of session: UInt64) -> SessionStorage {
        state.withLock { $0.users[session]?.storage ?? SessionStorage() }
    }

    /// The counts of all tags ever offered to the buffer; nil while it is not open.
    var totals: StoreTotals? { state.withLock { $0.buffer }?.totals() }

    // MARK: Orders

    // Safe to call with a lock held: these functions only enqueue. Call `begin` after unlocking.

    /// Enqueues a tag of a session, to append it.
    func append(_ tag: KeptTag, of session: UInt64) { add(.append(tag, session: session), session) }

    /// Enqueues the summary of an asset of a session, to append it.
    func append(_ summary: AssetSummary, of session: UInt64) {
        add(.summarize(summary, session: session), session)
    }

    /// Enqueues the release of a session's held tag for delivery.
    func release(_ tag: KeptTag, of session: UInt64) { add(.release(tag, session: session), session) }

    /// Waits until all earlier orders are done; returns whether everything is on the disk, and no tag that the session
    /// may have ordered was lost.
    func settle(_ session: UInt64) async -> Bool {
        let isOnDisk = await settle()
        return state.withLock { isOnDisk && $0.users[session]?.hasLost == false }
    }

    private func settle() async -> Bool {
        await withCheckedContinuation { answer in
            let starts = state.withLock { state in
                _ = state.orders.add(.tell(answer))
                return state.start()
            }
            if starts { run() }
        }
    }

    /// Starts the worker, if orders wait and it is not running.
    func begin() {
        if state.withLock({ $0.start() }) { run() }
    }

    private func add(_ order: StoreOrder, _ session: UInt64) {
        state.withLock { state in
            let isAdded = state.orders.add(order)
            switch order {
            case .append where isAdded: state.users[session]?.storage.queued += 1
            case .append: state.users[session]?.storage.lost += 1
            case .summarize where !isAdded: state.users[session]?.storage.lostSummaries += 1
            case .summarize, .release, .tell: break
            }
        }
    }

    private func run() {
        Task.detached(priority: .high) { [self] in
            while let group = state.withLock({ $0.nextGroup() }) { await perform(group) }
        }
    }

    /// Performs orders of one kind, and retries them until they succeed or all sessions have ended.
    private func perform(_ group: [StoreOrder]) async {
        if case .tell? = group.first {
            await tell(group)
            return
        }
        var failures = 0
        while true {
            if let buffer = await openBuffer() {
                do throws(StoreError) {
                    switch group.first {
                    case .append: try await append(group, to: buffer)
                    case .summarize: try await summarize(group, in: buffer)
                    default: try await release(group, in: buffer)
                    }
                    return
                } catch {
                    fail(error)
                    if !error.isRetriable { await drop() }
                }
            }
            failures += 1
            // After the last session has ended, a full or read-only disk is not retried.
            if state.withLock({ $0.users.isEmpty }) { return }
            for answer in state.withLock({ $0.orders.takeTellings() }) { answer.resume(returning: false) }
            await pause(min(.seconds(1), .milliseconds(20 * failures)))
        }
    }

    /// Answers the callers that wait for the disk.
    private func tell(_ group: [StoreOrder]) async {
        var isOnDisk = false
        if let buffer = await openBuffer() {
            do throws(StoreError) {
                // Writes the tags in memory, if the disk works again.
                isOnDisk = try await buffer.flush()
                state.withLock { $0.noteLosses(of: buffer) }
            } catch {
                fail(error)
                if !error.isRetriable { await drop() }
            }
        }
        for case .tell(let answer) in group { answer.resume(returning: isOnDisk) }
    }

    private func append(_ group: [StoreOrder], to buffer: TagBuffer) async throws(StoreError) {
        var tags: [NewTag] = []
        var isHeld = false
        for case .append(let tag, _) in group {
            isHeld = tag.isHeld
            let body = StoredBody.encode(Self.policy.checked([tag.occurrence])[0])
            tags.append(NewTag(id: TagIdentity.id(of: tag.occurrence), body: body))
        }
        let places = try await append(tags, to: buffer, isHeld: isHeld)
        state.withLock { state in
            for (order, place) in zip(group, places) {
                guard case .append(let tag, let session) = order else { continue }
                state.users[session]?.storage.queued -= 1
                guard let place else {
                    state.users[session]?.storage.lost += 1
                    continue
                }
                state.users[session]?.storage.accepted += 1
                if isHeld { state.places[session, default: [:]][tag.number] = place }
            }
        }
    }

    /// Appends records, and returns the sequence number of each; nil for those that the buffer has refused and counted.
    private func append(
        _ records: [NewTag], to buffer: TagBuffer, isHeld: Bool
    ) async throws(StoreError) -> [Int64?] {
        var places: [Int64?] = []
        for piece in try await buffer.appendInPieces(records, isHeld: isHeld) {
            switch piece.outcome?.durability {
            case .durable: state.withLock { $0.trouble = nil }
            case .memoryOnly: fail(.database(code: 0, message: "the disk is full or read-only"))
            case nil: fail(.full)
            }
            let first = piece.outcome?.sequences?.lowerBound
            places += (0..<piece.range.count).map { offset in first.map { $0 + Int64(offset) } }
        }
        return places
    }

    private func summarize(_ group: [StoreOrder], in buffer: TagBuffer) async throws(StoreError) {
        var records: [NewTag] = []
        for case .summarize(let summary, _) in group {
            records.append(NewTag(id: TagIdentity.id(of: summary), body: summary.storedBody))
        }
        let places = try await append(records, to: buffer, isHeld: false)
        state.withLock { state in
            for (order, place) in zip(group, places) {
                guard case .summarize(_, let session) = order else { continue }
                if place != nil {
                    state.users[session]?.storage.summaries += 1
                } else {
                    state.users[session]?.storage.lostSummaries += 1
                }
            }
        }
    }

    private func release(_ group: [StoreOrder], in buffer: TagBuffer) async throws(StoreError) {
        var released: [ReleasedTag] = []
        for case .release(let tag, let session) in group {
            guard let place = state.withLock({ $0.places[session]?[tag.number] }) else { continue }
            // A held tag is stored as not presented, so only a presented one needs a new body.
            var body: [UInt8]?
            if case .session(let session, _) = tag.occurrence.origin, session.isPresented {
                body = StoredBody.encode(Self.policy.checked([tag.occurrence])[0])
            }
            released.append(ReleasedTag(sequence: place, body: body))
        }
        try await buffer.release(released)
        state.withLock { state in
            for case .release(let tag, let session) in group {
                state.places[session]?[tag.number] = nil
            }
        }
    }

    // MARK: The buffer

    private func openBuffer() async -> TagBuffer? {
        if let buffer = state.withLock({ $0.buffer }) { return buffer }
        await state.withLock { $0.closing }?.value
        do throws(StoreError) {
            let buffer = try await openWhenFree()
            state.withLock { state in
                state.buffer = buffer
                state.memoryLostCount = buffer.totals().losses.memoryLost
                state.trouble = nil
                // The sequence numbers of held tags in another buffer are invalid here.
                state.places = [:]
            }
            startUploading()
            return buffer
        } catch {
            fail(error)
            return nil
        }
    }

    /// The number of retries, and the delay between them, while this process has the buffer open elsewhere: ten seconds
    /// in all.
    private static let maximumHeldCount = 200
    private static let heldDelay = Duration.milliseconds(50)

    /// Opens the buffer, and retries while this process is about to close it elsewhere.
    private func openWhenFree() async throws(StoreError) -> TagBuffer {
        var heldCount = 0
        while true {
            do throws(StoreError) {
                return try await TagBuffer.open(directory: directory, settings: settings, clock: clock)
            } catch {
                guard case .inUse(pid: getpid()) = error, heldCount < Self.maximumHeldCount else {
                    throw error
                }
            }
            heldCount += 1
            await pause(Self.heldDelay)
        }
    }

    /// Drops a buffer that is no longer usable; reopening starts an upload from the new one.
    private func drop() async {
        let (buffer, uploading) = state.withLock { state in
            defer {
                state.buffer = nil
                state.uploading = nil
            }
            return (state.buffer, state.uploading)
        }
        uploading?.cancel()
        guard let buffer, isShared else { return }
        await uploading?.value
        // A last attempt to write the tags in memory; those that remain are lost.
        await buffer.close()
        state.withLock { $0.noteLosses(of: buffer) }
    }

    /// Reports a failure to the sessions, once for each kind until the disk works again.
    private func fail(_ error: StoreError) {
        let code: SessionErrorCode =
            switch error {
            case .readOnly, .notADirectory, .system, .removed, .full: .fileWrite
            default: .database
            }
        let reporters = state.withLock { state in
            guard state.trouble != code else { return [Reporter]() }
            state.trouble = code
            return state.users.values.map(\.report)
        }
        for report in reporters { report(code, error.description) }
    }

    private func pause(_ duration: Duration) async {
        do throws(CancellationError) {
            try await clock.sleep(for: duration)
        } catch {
            // The task is never cancelled.
        }
    }

    // MARK: Delivery

    /// Starts delivery from the buffer to a collector; the first destination applies to the whole folder.
    ///
    /// Does nothing for a buffer that the caller opened, because the caller also delivers from it.
    func deliver(to destination: StoreDestination) {
        guard isShared else { return }
        let isOpen = state.withLock { state in
            if state.destination == nil { state.destination = destination }
            return state.buffer != nil
        }
        if isOpen { startUploading() }
    }

    /// Sends the waiting tags at once, whatever the interval.
    func upload() {
        let uploading = state.withLock { state in
            defer { state.uploading = nil }
            return state.uploading
        }
        guard let uploading else { return }
        uploading.cancel()
        Task.detached { [self] in
            await uploading.value
            startUploading()
        }
    }

    private func startUploading() {
        state.withLock { state in
            guard state.uploading == nil, let buffer = state.buffer, let destination = state.destination
            else {
                return
            }
            let clock = clock
            state.uploading = Task.detached { await destination.upload(from: buffer, clock: clock) }
        }
    }
}

extension StoreDestination {
    /// Delivers tags until the task is cancelled.
    fileprivate func upload(from buffer: TagBuffer, clock: any HostClock) async {
        var settings = HTTPClientSettings(userAgent: "dtvr-player/\(Uploader.version)")
        settings.authoritiesFile = authoritiesFile
        do {
            let client = try HTTPClient(settings: settings)
            defer { client.close() }
            let sink = HTTPTagSink(url: collector, client: client, bearerToken: token)
            let builder = BatchBuilder.recordedTags(of: buffer.id, version: Uploader.version)
            let uploader = Uploader(
                buffer: buffer, sink: sink, builder: builder, clock: clock, pollInterval: interval)
            try await uploader.run()
        } catch {
            // The tags stay in the buffer; the next launch retries.
        }
    }
}

extension SessionStore.State {
    /// Marks all sessions if the buffer has lost tags from memory since the last check.
    fileprivate mutating func noteLosses(of buffer: TagBuffer) {
        let count = buffer.totals().losses.memoryLost
        if count > memoryLostCount { for user in users.keys { users[user]?.hasLost = true } }
        memoryLostCount = count
    }

    /// Removes the buffer, and starts closing it.
    fileprivate mutating func close() -> Task<Void, Never> {
        let (buffer, uploading, earlier) = (self.buffer, self.uploading, closing)
        self.buffer = nil
        self.uploading = nil
        let task = Task.detached {
            await earlier?.value
            uploading?.cancel()
            await uploading?.value
            await buffer?.close()
        }
        closing = task
        return task
    }

    /// Marks the worker as running; returns whether the caller must start it.
    fileprivate mutating func start() -> Bool {
        guard !isRunning, !orders.isEmpty else { return false }
        isRunning = true
        return true
    }

    /// Returns the next orders, or nil when the queue is empty; the worker then stops.
    fileprivate mutating func nextGroup() -> [StoreOrder]? {
        guard !orders.isEmpty else {
            isRunning = false
            return nil
        }
        return orders.takeGroup()
    }
}
