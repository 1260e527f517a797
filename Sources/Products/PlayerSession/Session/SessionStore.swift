import Glibc
import HTTPTransfer
import HostSystem
import NielsenID3
import StreamHealth
import Synchronization
import TagDelivery
import TagRecord
import TagStore

/// The buffer of a folder, for all sessions of this process that use it, and a queue before it: nobody who orders
/// something waits for the disk.
final class SessionStore: Sendable {
    /// Is told when the disk or the buffer fails.
    typealias Reporter = @Sendable (SessionErrorCode, String) -> Void

    fileprivate struct User: Sendable {
        let report: Reporter
        var storage = SessionStorage()
        /// Whether tags that were in memory only were lost while it was there; perhaps its own.
        var hasLost = false
    }

    fileprivate struct State: Sendable {
        var orders = StoreOrders()
        var isRunning = false
        var buffer: TagBuffer?
        /// What the buffer had lost from memory when that was looked at last.
        var memoryLostCount: Int64 = 0
        var users: [UInt64: User] = [:]
        var nextUser: UInt64 = 0
        /// The places of held tags in the buffer, by session and number.
        var places: [UInt64: [UInt64: Int64]] = [:]
        var trouble: SessionErrorCode?
        var destination: StoreDestination?
        var uploading: Task<Void, Never>?
        /// Closes the buffer of sessions that have ended; what opens it again waits for that.
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

    /// The store of a folder, whose path is canonical; its sessions share it, with the settings of the first.
    ///
    /// It stays registered until its buffer is closed: a session that begins meanwhile waits for that in its queue.
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

    /// A store with a buffer that somebody else has opened, and closes.
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

    /// Adds a session, and gives it a number.
    func join(_ report: @escaping Reporter) -> UInt64 {
        state.withLock { state in
            defer { state.nextUser += 1 }
            state.users[state.nextUser] = User(report: report)
            return state.nextUser
        }
    }

    /// Removes a session; with the last one, what waits is written and the buffer closed.
    ///
    /// - Returns: whether all that the session had stored was on the disk in the end.
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
        // What was in memory only was written at the end, or lost then.
        return user.storage.queued == 0 && !user.hasLost
            && buffer.totals().losses.memoryLost == lostCount
    }

    private func unregisterIfUnused() {
        Self.shared.withLock { stores in
            let isUnused = state.withLock { $0.users.isEmpty && $0.buffer == nil && !$0.isRunning }
            if isUnused, stores[directory] === self { stores[directory] = nil }
        }
    }

    /// Where the tags of a session are.
    func storage(of session: UInt64) -> SessionStorage {
        state.withLock { $0.users[session]?.storage ?? SessionStorage() }
    }

    /// Every tag that was ever offered to the buffer; nil while it is not open.
    var totals: StoreTotals? { state.withLock { $0.buffer }?.totals() }

    // MARK: Orders

    // Whoever orders may hold a lock of its own meanwhile, so nobody is woken up: that is for `begin`, after unlocking.

    /// Has a tag of a session appended.
    func append(_ tag: KeptTag, of session: UInt64) { add(.append(tag, session: session), session) }

    /// Has the summary of an asset of a session appended.
    func append(_ summary: AssetSummary, of session: UInt64) {
        add(.summarize(summary, session: session), session)
    }

    /// Has a held tag of a session delivered.
    func release(_ tag: KeptTag, of session: UInt64) { add(.release(tag, session: session), session) }

    /// Returns once all that was ordered is done: whether it is on the disk, and nothing of it that a session may have ordered
    /// was lost.
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

    /// Begins with what was ordered, where nobody is at it.
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

    /// Carries out orders of one kind, and tries until they are carried out.
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
            // Sessions that have ended wait no longer for a disk that is full or read-only.
            if state.withLock({ $0.users.isEmpty }) { return }
            for answer in state.withLock({ $0.orders.takeTellings() }) { answer.resume(returning: false) }
            await pause(min(.seconds(1), .milliseconds(20 * failures)))
        }
    }

    /// Answers those who wait for the disk.
    private func tell(_ group: [StoreOrder]) async {
        var isOnDisk = false
        if let buffer = await openBuffer() {
            do throws(StoreError) {
                // Writes what is in memory, where the disk takes it by now.
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

    /// Appends records, and returns the place of each in the buffer; nil for those that the buffer has refused and counted.
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
            // A tag is kept as one that was not presented: only one that is has another body.
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
                // The places of what was held in another buffer mean nothing here.
                state.places = [:]
            }
            startUploading()
            return buffer
        } catch {
            fail(error)
            return nil
        }
    }

    /// How often, and after how long, a buffer that another owner in this process has is tried again: for ten seconds.
    private static let maximumHeldCount = 200
    private static let heldDelay = Duration.milliseconds(50)

    /// Opens the buffer; one that this process has open elsewhere is about to be closed.
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

    /// Lets go of a buffer that is of no use any more; what opens it again sends from the new one.
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
        // Tries once more to write what is in memory; the rest is lost then.
        await buffer.close()
        state.withLock { $0.noteLosses(of: buffer) }
    }

    /// Tells the sessions of a failure, once for each kind until the disk works again.
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
            // Nobody cancels the task.
        }
    }

    // MARK: Out

    /// Sends what is in the buffer to a collector, from now on; the first one that is named is the folder's.
    ///
    /// Whoever brought a buffer of their own sends from it themselves.
    func deliver(to destination: StoreDestination) {
        guard isShared else { return }
        let isOpen = state.withLock { state in
            if state.destination == nil { state.destination = destination }
            return state.buffer != nil
        }
        if isOpen { startUploading() }
    }

    /// Sends what waits at once, whatever the interval.
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
    /// Delivers until the task is cancelled.
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
            // The tags stay where they are; the next launch tries again.
        }
    }
}

extension SessionStore.State {
    /// Tells the sessions of what was lost from memory since this was looked at last.
    fileprivate mutating func noteLosses(of buffer: TagBuffer) {
        let count = buffer.totals().losses.memoryLost
        if count > memoryLostCount { for user in users.keys { users[user]?.hasLost = true } }
        memoryLostCount = count
    }

    /// Takes the buffer out, and begins to close it.
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

    /// Whether somebody has to begin with the orders.
    fileprivate mutating func start() -> Bool {
        guard !isRunning, !orders.isEmpty else { return false }
        isRunning = true
        return true
    }

    /// The next orders; nil, and nobody is at it any more, where none wait.
    fileprivate mutating func nextGroup() -> [StoreOrder]? {
        guard !orders.isEmpty else {
            isRunning = false
            return nil
        }
        return orders.takeGroup()
    }
}
