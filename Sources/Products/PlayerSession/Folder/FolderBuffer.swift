import Glibc
import HTTPTransfer
import HostSystem
import Synchronization
import TagDelivery
import TagStore

/// The destination of a buffer's tags.
struct UploadDestination: Sendable, Hashable {
    /// The address of the collector.
    let collector: String
    /// The token sent with each batch; nil for none.
    let token: String?
    /// The interval between uploads, in seconds.
    let interval: Double
    /// A PEM file of certificate authorities to trust instead of the system's; nil for the system's.
    let authoritiesFile: String?
}

/// The buffer of a folder while it has writers: opened for the first write, and delivered from.
///
/// If another process owns the buffer and serves it, the writes go to that process, which also delivers the tags.
final class FolderBuffer: Sendable {
    private struct State: Sendable {
        /// Removes and returns the callers that wait for the next uploader.
        mutating func takeAwaiting() -> [AsyncStream<Void>.Continuation] {
            defer { awaiting = [] }
            return awaiting
        }

        var buffer: BufferAccess?
        /// The access through another process that did not answer: it may have ended, or be slow.
        var unanswered: RemoteBuffer?
        /// Whether the owner may have ended, and not have closed the buffer yet.
        var mayBeClosing = false
        var destination: UploadDestination?
        /// The state of the delivery; nil without a destination.
        var watch: DeliveryWatch?
        var uploading: Task<Void, Never>?
        /// The uploader of the task; nil before it starts, and after it has ended.
        var uploader: Uploader?
        /// The callers that wait for the next uploader.
        var awaiting: [AsyncStream<Void>.Continuation] = []
        /// Whether the delivery has ended permanently, so that only the next launch tries again.
        var hasGivenUp = false
        var isClosed = false
    }

    /// The time for retries while the buffer is about to be closed elsewhere, and the delay between them.
    private static let maximumWait = Duration.seconds(10)
    private static let retryDelay = Duration.milliseconds(50)

    private let directory: String
    private let settings: StoreSettings
    private let clock: any HostClock
    /// The close of the same buffer by earlier writers, which opening waits for.
    private let predecessor: Task<Void, Never>?
    /// Whether the caller of the sessions opened the buffer, delivers from it, and closes it.
    private let isLent: Bool
    private let report: @Sendable (DeliveryChange) -> Void
    private let state: Mutex<State>

    /// Creates the buffer of a folder, which is not open yet.
    ///
    /// - Parameter report: receives the changes of the delivery, in order.
    init(
        directory: String, settings: StoreSettings, clock: any HostClock,
        after predecessor: Task<Void, Never>?, report: @escaping @Sendable (DeliveryChange) -> Void
    ) {
        self.directory = directory
        self.settings = settings
        self.clock = clock
        self.predecessor = predecessor
        isLent = false
        self.report = report
        state = Mutex(State())
    }

    /// Creates a buffer that the caller opens and closes.
    init(lent buffer: TagBuffer, clock: any HostClock) {
        directory = ""
        settings = StoreSettings()
        self.clock = clock
        predecessor = nil
        isLent = true
        report = { _ in }
        state = Mutex(State(buffer: .own(buffer)))
    }

    /// The open buffer; nil while it is not open.
    var current: BufferAccess? { state.withLock { $0.buffer } }

    // MARK: Opening and closing

    /// Returns the buffer, which is opened if necessary.
    func open() async throws(StoreError) -> BufferAccess {
        if let current { return current }
        await predecessor?.value
        let buffer = try await openWhenFree()
        let (isClosed, unanswered) = state.withLock { state in
            if !state.isClosed { state.buffer = buffer }
            state.mayBeClosing = false
            return (state.isClosed, state.unanswered.take())
        }
        if let unanswered, BufferAccess.remote(unanswered).id != buffer.id { unanswered.close() }
        if isClosed {
            await buffer.close()
            throw .closed
        }
        if let change = state.withLock({ $0.watch?.resume() }) { report(change) }
        startUploading()
        return buffer
    }

    /// Opens the buffer, and retries while this process, or the one that served it, is about to close it.
    private func openWhenFree() async throws(StoreError) -> BufferAccess {
        let (directory, settings, clock) = (directory, settings, clock)
        let end = clock.sinceBoot + Self.maximumWait
        let unanswered = state.withLock { $0.unanswered }
        while true {
            do throws(StoreError) {
                return try await BufferAccess.open(in: directory, after: unanswered) {
                    () throws(StoreError) in
                    try await TagBuffer.open(directory: directory, settings: settings, clock: clock)
                }
            } catch {
                guard case .inUse(let process) = error, clock.sinceBoot < end,
                    process == getpid() || state.withLock({ $0.mayBeClosing })
                else {
                    state.withLock { $0.mayBeClosing = false }
                    throw error
                }
            }
            await pause(Self.retryDelay)
        }
    }

    /// Closes a buffer that is no longer usable; the next `open` opens another one, and delivers from it.
    ///
    /// The access through another process is only set aside: the next `open` continues with it if the process was slow.
    func discard() async {
        if isLent { return }
        let (buffer, uploading) = state.withLock { state in
            defer {
                if case .remote(let remote) = state.buffer {
                    state.unanswered = remote
                    state.mayBeClosing = true
                }
                state.buffer = nil
                state.uploading = nil
            }
            return (state.buffer?.owned, state.uploading)
        }
        uploading?.cancel()
        await uploading?.value
        // A last attempt to write the tags in memory; those that remain are lost.
        await buffer?.close()
    }

    /// Starts to close the buffer permanently.
    func close() -> Task<Void, Never> {
        let last = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state
        }
        for caller in last.awaiting { caller.finish() }
        return Task.detached { [predecessor] in
            await predecessor?.value
            last.uploading?.cancel()
            await last.uploading?.value
            await last.buffer?.close()
            last.unanswered?.close()
        }
    }

    /// The time since boot by the clock of the buffer.
    var sinceBoot: Duration { clock.sinceBoot }

    /// Waits for some time by the clock of the buffer.
    func pause(_ duration: Duration) async {
        do throws(CancellationError) {
            try await clock.sleep(for: duration)
        } catch {
            // The tasks that may be cancelled check for it.
        }
    }

    // MARK: Delivery

    /// The state of the delivery; nil without a destination.
    var delivery: SessionDelivery? {
        let (buffer, watched) = state.withLock { ($0.buffer, $0.watch?.delivery) }
        var delivery = watched
        if case .remote = buffer {
            delivery = SessionDelivery(
                .elsewhere, reason: "another process owns the buffer, and delivers its tags")
        }
        if let buffer { delivery?.deadLetters = buffer.totals.losses.dead }
        return delivery
    }

    /// Delivers from the buffer while it is open; only the first destination applies.
    ///
    /// - Parameter open: tries to open the buffer, in which tags of earlier launches may wait, as a write does.
    /// - Returns: the destination that applies.
    func deliver(
        to destination: UploadDestination, opening open: @escaping @Sendable () async -> Bool
    ) -> UploadDestination {
        let applied = state.withLock { state in
            if let first = state.destination { return first }
            state.destination = destination
            state.watch = DeliveryWatch(collector: destination.collector)
            return destination
        }
        startUploading()
        Task.detached { [self] in
            var failureCount = 0
            while state.withLock({ $0.buffer == nil && !$0.isClosed }), await !open() {
                failureCount += 1
                await pause(min(.seconds(1), .milliseconds(20 * failureCount)))
            }
        }
        return applied
    }

    /// Records that the buffer cannot be opened, or that the delivery has ended; the caller reports it.
    ///
    /// - Returns: the change; nil if it is known.
    @discardableResult
    func suspend(
        _ state: SessionDelivery.State, _ code: SessionErrorCode, _ reason: String
    ) -> DeliveryChange? {
        let time = clock.unixMilliseconds
        return self.state.withLock { $0.watch?.fail(state, code, reason, at: time) }
    }

    /// Adopts the progress of the uploader, and reports the changes.
    private func observe(_ progress: DeliveryProgress) {
        // A cancelled uploader ends for reasons that say nothing about the delivery.
        if Task.isCancelled { return }
        let time = clock.unixMilliseconds
        for change in state.withLock({ $0.watch?.observe(progress, at: time) ?? [] }) { report(change) }
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

    /// Delivers what the buffer holds, and waits until that is done or cannot be done before `end`.
    ///
    /// Returns early if the task is cancelled.
    ///
    /// - Returns: whether the tags have left the buffer, except held ones.
    func deliver(until end: Duration) async -> Bool {
        while !Task.isCancelled, clock.sinceBoot < end {
            let (stream, caller) = AsyncStream.makeStream(of: Void.self)
            let (uploader, isOver) = state.withLock { state in
                let isOver = state.hasGivenUp || state.isClosed
                if state.uploader == nil, !isOver { state.awaiting.append(caller) }
                return (state.uploader, isOver)
            }
            if isOver { return false }
            guard let uploader else {
                for await _ in stream {}
                continue
            }
            switch await uploader.deliver(until: end) {
            case .drained: return true
            case .gaveUp: return false
            // Another uploader follows, unless the task was cancelled.
            case .cancelled: if !Task.isCancelled { retire(uploader) }
            }
        }
        // Without time, the tags are still sent at once.
        state.withLock { $0.uploader }?.retryNow()
        return false
    }

    /// Waits until the process that owns the buffer has delivered as many tags as wait in it now, except held ones.
    ///
    /// Returns early if the task is cancelled.
    func waitForOwner(_ owner: RemoteBuffer, heldCount: Int, until end: Duration) async -> Bool {
        var goal: Int64?
        while !Task.isCancelled, clock.sinceBoot < end {
            let totals: StoreTotals
            do throws(StoreError) {
                totals = try await owner.status().totals
            } catch {
                return false
            }
            let waiting = totals.inStore + totals.overflow - Int64(heldCount)
            let leftCount = totals.accepted - totals.inStore
            let end = goal ?? leftCount + waiting
            goal = end
            if waiting <= 0 || leftCount >= end { return true }
            await pause(Self.retryDelay)
        }
        return false
    }

    /// Makes an uploader that begins to run the one to wait for.
    private func adopt(_ uploader: Uploader) {
        let callers = state.withLock { state in
            state.uploader = uploader
            return state.takeAwaiting()
        }
        for caller in callers { caller.finish() }
    }

    /// Forgets an uploader that has ended.
    private func retire(_ uploader: Uploader) {
        state.withLock { if $0.uploader === uploader { $0.uploader = nil } }
    }

    /// Ends the delivery permanently, and returns the change to report.
    private func giveUp(_ code: SessionErrorCode, _ reason: String) -> DeliveryChange? {
        let callers = state.withLock { state in
            state.hasGivenUp = true
            return state.takeAwaiting()
        }
        for caller in callers { caller.finish() }
        return suspend(.held, code, reason)
    }

    private func startUploading() {
        if isLent { return }
        state.withLock { state in
            guard state.uploading == nil, let buffer = state.buffer?.owned,
                let destination = state.destination
            else { return }
            state.hasGivenUp = false
            state.uploading = Task.detached { [weak self, clock] in
                let failure = await destination.upload(
                    from: buffer, clock: clock, begin: { [weak self] in self?.adopt($0) },
                    end: { [weak self] in self?.retire($0) }, report: { [weak self] in self?.observe($0) })
                guard let failure, let change = self?.giveUp(failure.code, failure.reason) else { return }
                self?.report(change)
            }
        }
    }
}

extension UploadDestination {
    /// Delivers tags until the task is cancelled, and returns the problem that has ended the delivery, if any.
    ///
    /// The tags then stay in the buffer; the next launch tries again.
    fileprivate func upload(
        from buffer: TagBuffer, clock: any HostClock, begin: (Uploader) -> Void, end: (Uploader) -> Void,
        report: @escaping @Sendable (DeliveryProgress) -> Void
    ) async -> (code: SessionErrorCode, reason: String)? {
        var settings = HTTPClientSettings(userAgent: "dtvr-player/\(Uploader.version)")
        settings.authoritiesFile = authoritiesFile
        let client: HTTPClient
        do throws(HTTPTransferError) {
            client = try HTTPClient(settings: settings)
        } catch {
            return (.http, error.reason)
        }
        defer { client.close() }
        let sink = HTTPTagSink(url: collector, client: client, bearerToken: token)
        let builder = BatchBuilder.recordedTags(of: buffer.id, version: Uploader.version)
        let uploader = Uploader(
            buffer: buffer, sink: sink, builder: builder, clock: clock, pollInterval: .seconds(interval),
            report: report)
        begin(uploader)
        defer { end(uploader) }
        do throws(StoreError) {
            try await uploader.run()
            return nil
        } catch {
            return Task.isCancelled ? nil : (.database, error.description)
        }
    }
}
