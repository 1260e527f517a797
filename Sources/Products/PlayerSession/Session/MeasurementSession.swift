import HTTPTransfer
package import HostSystem
import ID3v2
import Synchronization
import TagDelivery
public import TagStore

/// A measurement session: stores each tag that a player hands over, and sends it to the configured collector.
///
/// Every call returns at once, from any thread, and never waits for the disk or the network. A tag that reaches
/// `sendID3` is stored in every state, unless the user has opted out or the session is disabled. It is on the disk
/// within a tenth of a second. From then on it is delivered, still in the buffer, or counted as lost. Deviations from
/// the guides are findings, and measurement continues.
///
///     let session = MeasurementSession(appInfo: ["appid": "T…"], options: SessionOptions(directory: folder))
///     session.play(["channelName": "Harbour TV"])
///     session.loadMetadata(["type": "content", "assetid": "HARBOUR0205"])
///     session.sendID3(bytes)
public final class MeasurementSession: Sendable {
    /// The version that `getMeterVersion` returns.
    public static let meterVersion = Uploader.version

    /// All events, errors and findings; a late reader gets the newest 2,000.
    public let notifications: AsyncStream<SessionNotification>

    private let stream: AsyncStream<SessionNotification>.Continuation
    private let options: SessionOptions
    private let clock: any HostClock
    private let folder: MeasurementFolder
    /// The number of the session among the writers of the folder.
    private let writer: UInt64
    private let core: Mutex<SessionCore>
    /// Whether a call must have its arguments, as of the last call, so that `sendID3` does not take the lock twice.
    private let keepsArguments = Atomic(true)
    /// The file of the log; nil for a session that writes none.
    private let log: SessionLogFile?
    /// The number of the session in the file of the log.
    private let logNumber: Int
    private let delegates: Mutex<DelegateQueue>
    /// The feed of media segments.
    let segments = SegmentFeed()
    /// The task that loads the configuration; nil before the first.
    private let loading = Mutex<Task<Void, Never>?>(nil)

    /// Creates a session for an app.
    ///
    /// The session starts at once. Problems with the app's information are reported as notifications.
    ///
    /// - Parameters:
    ///   - appInfo: an object, or its JSON text; only `appid` is required.
    ///   - options: the folder, and the source of the configuration.
    public convenience init(appInfo: MetadataValue, options: SessionOptions) {
        self.init(options: options)
        initialize(appInfo)
    }

    /// Creates a session without initializing it; tags are stored anyway.
    public convenience init(options: SessionOptions) { self.init(options: options, clock: .system) }

    /// Creates a session with another clock, or with a buffer that the caller opens and closes.
    package init(options: SessionOptions, clock: any HostClock, buffer: TagBuffer? = nil) {
        self.options = options
        self.clock = clock
        delegates = Mutex(DelegateQueue(options.receiver))
        (notifications, stream) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(2 * SessionNotification.maximumWaitingCount))
        folder =
            buffer.map { MeasurementFolder(lending: $0, directory: options.directory, clock: clock) }
            ?? .shared(options.directory)
        log =
            options.log == nil && options.replayedInstance != nil ? nil : SessionLogFile.shared(options.log)
        let place = log?.join(at: clock.sinceBoot) ?? (number: 0, origin: .zero)
        logNumber = place.number
        core = Mutex(
            SessionCore(options: options, log: SessionLog(options: options, at: place)) {
                TagID.random().text
            })
        writer = folder.join(settings: options.store, clock: clock)
        core.withLock { [folder, writer] core in core.enqueue = { folder.add($0, of: writer) } }
        folder.reportFailures(to: writer) { [weak self] change in
            switch change {
            case .failed(let code, let reason): self?.report(code, reason)
            case .recovered(let text): self?.notify(.event, SessionNotification.deliveryRecovered, text)
            }
        }
        log?.reportFailure(to: logNumber) { [weak self] reason in
            self?.report(.fileWrite, "the log: \(reason)")
        }
        guard options.keepsIdentity else { return }
        let identity = folder.identity
        identity.listen(as: writer) { [weak self] in
            self?.update { core in ((), identity.current.map { core.adopt($0) } ?? SessionOutput()) }
        }
        loadIdentity()
    }

    deinit {
        loading.withLock { $0?.cancel() }
        stream.finish()
        log?.leave(logNumber)
        folder.identity.stopListening(as: writer)
        let (folder, writer) = (folder, writer)
        // After `finish`, the writer has already left.
        Task.detached { _ = await folder.leave(writer) }
    }

    // MARK: Calls

    /// Whether a call must have its arguments, because the log may need them.
    var needsArguments: Bool { keepsArguments.load(ordering: .relaxed) }

    /// Makes any call, and returns its result.
    @discardableResult
    public func call(_ call: SessionCall) -> CallResult {
        let (time, wall) = (clock.sinceBoot, WallTime(unixMilliseconds: clock.unixMilliseconds))
        // Parses tags before taking the lock, so that calls on other threads wait as little as possible.
        let call = call.parsed
        let (result, isOptedOut) = update { core in
            let (result, output) = core.handle(call, at: time, wall: wall)
            return ((result, core.isOptedOut), output)
        }
        // A user who opts in elsewhere is measured again, although no write looks for the choice.
        if isOptedOut, options.keepsIdentity { folder.identity.refreshSoon() }
        return call.name?.isQuestion == true ? answered(result, to: call) : result
    }

    /// Returns the result of a call that asks for something, with its value.
    private func answered(_ result: CallResult, to call: SessionCall) -> CallResult {
        guard result.outcome == .done else { return result }
        let value: MetadataValue? =
            switch call.name {
            case .optOutStatus: .flag(optOutStatus)
            case .optOutURL: optOutURL.map { .text($0) }
            case .getLastEvent: lastOccurred?.value
            case .getLastOccurredEvent: lastEvent?.value
            case .getLastOccurredError: lastError?.value
            case .getMeterVersion: .text(Self.meterVersion)
            case .deviceId: deviceID.map { .text($0) }
            case .firstPartyId: firstPartyID.map { .text($0) }
            default: nil
            }
        var result = result
        result.value = value ?? .null
        return result
    }

    /// Applies a choice that the user made elsewhere, as the log of a replay says.
    func choose(isOut: Bool) { update { ((), $0.choose(isOut: isOut)) } }

    /// Waits while the queue for the disk is more than half full.
    package func waitForRoom() async { await folder.waitForRoom(writer) }

    /// Waits until every call has been answered, and the stored tags and the user's choice are on the disk.
    ///
    /// - Parameter timeLimit: the time to wait for another process that owns the buffer and is about to end. Then
    ///   the tags stay in memory until the buffer is free, and `isBufferInUse` is true.
    /// - Returns: whether everything is on the disk; false if the disk is full or read-only, if another process owns
    ///   the buffer, and after `finish`. Also false from then on if tags of the session were lost, or tags of the
    ///   folder that were only in memory.
    @discardableResult
    public func flush(timeLimit: Duration = .seconds(10)) async -> Bool {
        let end = clock.sinceBoot + timeLimit
        await waitUntilReady()
        await log?.flush()
        let isStored = await folder.flush(writer, until: end)
        return await isIdentityStored() && isStored
    }

    /// Ends the session: held tags will not be presented, and pending tags are written.
    ///
    /// The last session of a folder closes its buffer; undelivered tags are sent after the next launch. A tag handed
    /// over after this call is discarded. `ending` then says what was delivered and what waits.
    ///
    /// - Parameter timeLimit: the time to wait for another process that owns the buffer and is about to end. Then
    ///   the tags stay in memory, and are written once the buffer is free, unless this process ends before.
    /// - Returns: whether all stored tags are on the disk; false for a second call.
    @discardableResult
    public func finish(timeLimit: Duration = .seconds(10)) async -> Bool {
        let end = clock.sinceBoot + timeLimit
        await waitUntilReady()
        call(SessionCall(.free))
        core.withLock { $0.finish() }
        loading.withLock { $0?.cancel() }
        let delivery = delivery
        await log?.flush()
        let left = await folder.leave(writer, until: end)
        let isIdentityStored = await isIdentityStored()
        stream.finish()
        guard let left else { return false }
        let isStored = left.isStored && isIdentityStored
        let ending = SessionEnding(
            isStored: isStored, delivered: left.delivered, waiting: left.waiting, delivery: delivery)
        core.withLock { $0.ending = ending }
        return isStored
    }

    /// Delivers what the sessions of the folder have stored, now and for at most `limit`, such as before the app ends.
    ///
    /// The first attempt starts at once, whatever wait is planned, and one in progress continues. Returns early if the
    /// delivery cannot succeed in time: there is no collector, an operator must fix the cause, or the next attempt is
    /// due later. Also returns early if the task is cancelled. The rest stays in the buffer, and the delivery continues
    /// until the process or the session ends. Held tags stay held.
    ///
    /// - Parameter limit: zero or a negative time starts an attempt and does not wait for it.
    /// - Returns: the numbers of delivered and of waiting records. After `finish`, nothing is delivered.
    @discardableResult
    public func deliver(within limit: Duration) async -> SessionDelivered { await deliver(within: limit) {} }

    /// Delivers in the same way.
    ///
    /// - Parameter end: called when nothing waits any more on behalf of the call, which may be later if the disk hangs.
    package func deliver(
        within limit: Duration, end: @escaping @Sendable () -> Void
    ) async -> SessionDelivered {
        guard !core.withLock({ $0.isFinished }) else {
            end()
            return SessionDelivered(
                delivered: 0, waiting: ending?.waiting ?? 0, held: 0,
                delivery: SessionDelivery(.off, reason: "the session has ended"), isComplete: false)
        }
        let limit = min(max(.zero, limit), Self.longestDelivery)
        let latest = clock.sinceBoot + limit
        let earlierCount = folder.totals?.delivered
        let (results, continuation) = AsyncStream.makeStream(of: Bool.self)
        let work = Task.detached(priority: .high) { [self] in
            await waitUntilReady()
            continuation.yield(await folder.deliver(until: latest))
            continuation.finish()
            end()
        }
        let alarm = Task.detached { [clock] in
            do throws(CancellationError) {
                try await clock.sleep(for: limit)
            } catch {
                // The work is done.
            }
            continuation.finish()
        }
        var isComplete = false
        for await result in results { isComplete = result }
        work.cancel()
        alarm.cancel()
        let tally = folder.tally(since: earlierCount, of: writer)
        return SessionDelivered(
            delivered: tally.delivered, waiting: tally.waiting, held: tally.held,
            delivery: delivery, isComplete: isComplete)
    }

    private static let longestDelivery = Duration.seconds(100 * 365 * 86_400)

    private func isIdentityStored() async -> Bool {
        guard options.keepsIdentity else { return true }
        return await folder.identity.flush()
    }

    /// Waits until calls are answered at once, at most for the time that loading a configuration may take.
    ///
    /// Returns early if the task is cancelled.
    package func waitUntilReady() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        guard core.withLock({ $0.finishWhenReady(continuation) }) else { return }
        for await _ in stream {}
    }

    // MARK: Answers

    /// The state of the session.
    public var state: SessionState { core.withLock { $0.state } }

    /// The number of tags handed over, by outcome, at this moment.
    public var counts: SessionCounts { core.withLock { $0.counts } }

    /// The number of times each finding occurred.
    public var findings: [SessionFinding: Int] { core.withLock { $0.findings } }

    /// The last finding of each kind and key, and their number.
    package var findingDetails: [(finding: PlayerFinding, count: Int)] { core.withLock { $0.findingDetails } }

    /// The number of stored tags in each place.
    public var storage: SessionStorage { folder.storage(of: writer) }

    /// Whether another process owns the folder's buffer, and does not serve it; tags wait in memory until it is free.
    public var isBufferInUse: Bool { folder.isInUse }

    /// The counts of all tags ever offered to the folder's buffer, by all sessions; nil while it is not open.
    public var bufferTotals: StoreTotals? { folder.totals }

    /// The numbers of delivered and waiting tags after `finish` has returned; nil before.
    public var ending: SessionEnding? { core.withLock { $0.ending } }

    /// The state of the delivery to the collector; each new problem is also reported as an error, once.
    public var delivery: SessionDelivery { folder.delivery ?? core.withLock { $0.undelivered } }

    /// The last event or error; nil before the first.
    public var lastOccurred: SessionNotification? { core.withLock { $0.lastNotification } }

    /// The last event; nil before the first.
    public var lastEvent: SessionNotification? { core.withLock { $0.lastEvent } }

    /// The last error; nil before the first.
    public var lastError: SessionNotification? { core.withLock { $0.lastError } }

    /// Whether the user has opted out.
    public var optOutStatus: Bool { core.withLock { $0.isOptedOut } }

    /// The address of the opt-out page; nil if the configuration names none.
    public var optOutURL: String? { core.withLock { $0.optOutURL } }

    /// The random id of this device's buffer; nil until it is read, and for a user who has opted out.
    public var deviceID: String? { core.withLock { $0.deviceID } }

    /// The first-party id; nil if the app disables it, and for a user who has opted out.
    public var firstPartyID: String? { core.withLock { $0.firstPartyID } }

    /// The receiver of events and errors, held weakly.
    public var delegate: (any MeasurementSessionDelegate)? {
        get { delegates.withLock { $0.receiver.delegate } }
        set { delegates.withLock { $0.receiver = WeakDelegate(newValue) } }
    }

    // MARK: Effects

    /// Changes the state of the session, and performs the effects.
    private func update<Result: Sendable>(
        _ body: (inout SessionCore) -> (Result, SessionOutput)
    ) -> Result {
        let (result, output, hasNewIdentity, beginsLogging) = core.withLock { core in
            // Also enqueues the writes. With the lock held, so that they, the choices, the lines and the notifications
            // are in the order of the calls.
            let (result, output) = body(&core)
            keepsArguments.store(core.needsArguments, ordering: .relaxed)
            let hasNewIdentity = apply(output.identity, to: &core)
            let beginsLogging = !output.logLines.isEmpty && log?.add(output.logLines) ?? false
            for notification in output.effects.compactMap(\.notification) { enqueue(notification, in: &core) }
            return (result, output, hasNewIdentity, beginsLogging)
        }
        if hasNewIdentity {
            folder.identity.notify(except: writer)
            saveIdentity()
        }
        if output.beginsWriting { folder.beginWriting() }
        if beginsLogging { log?.beginWriting() }
        callDelegate()
        for effect in output.effects { perform(effect) }
        for stream in output.waiting { stream.finish() }
        return result
    }

    private func perform(_ effect: SessionEffect) {
        switch effect {
        case .loadConfiguration(let app): loadConfiguration(of: app)
        case .deliver(let destination):
            let applied = folder.deliver(to: destination)
            guard applied != destination else { break }
            report(
                .configurationJSON,
                "collectors: another session of the folder delivers to "
                    + "\(HTTPRequest.withoutSecrets(applied.collector)), so this one is not used")
        case .upload: folder.upload()
        // Enqueued in the order of the calls.
        case .report, .reportConfiguration, .reportFinding, .nothingRecorded, .started, .shutDown: break
        }
    }

    /// Loads the configuration; asks an address again until it answers.
    private func loadConfiguration(of app: AppIdentity) {
        let loader = ConfigurationLoader(
            source: options.configuration, directory: options.directory,
            authoritiesFile: options.authoritiesFile)
        let task = Task.detached(priority: .high) { [weak self, clock] in
            var delay = Self.shortestRetryDelay
            while !Task.isCancelled {
                let outcome = await loader.load(for: app)
                let isAdopted = self?.adopt(outcome, for: app) ?? false
                guard isAdopted, outcome.isRetried else { return }
                do throws(CancellationError) {
                    try await clock.sleep(for: delay)
                } catch {
                    return
                }
                delay = min(delay * 2, Self.longestRetryDelay)
            }
        }
        // Only the app that was initialized last asks again.
        loading.withLock { loading in
            loading?.cancel()
            loading = task
        }
    }

    /// Adopts the outcome of loading a configuration; returns false after the end of the session.
    private func adopt(_ outcome: ConfigurationLoader.Outcome, for app: AppIdentity) -> Bool {
        update { core in
            core.isFinished ? (false, SessionOutput()) : (true, core.load(outcome, for: app))
        }
    }

    private static let shortestRetryDelay = Duration.seconds(1)
    private static let longestRetryDelay = Duration.seconds(300)

    private func loadIdentity() {
        let now = clock.reading
        let (identity, writer) = (folder.identity, writer)
        Task.detached(priority: .high) { [weak self] in
            let loaded = identity.load(now: now)
            // Loading may have created or changed it. A choice is also saved if the session has been released.
            identity.save(as: writer) { [weak self] error in self?.report(.fileWrite, error.description) }
            self?.update { ((), $0.load(identity.current ?? loaded)) }
        }
    }

    /// Changes the identity of the device; returns whether the change must be written.
    private func apply(_ request: IdentityRequest, to core: inout SessionCore) -> Bool {
        guard options.keepsIdentity, request != IdentityRequest(),
            folder.identity.apply(request, now: clock.reading)
        else { return false }
        core.record(folder.identity.current)
        return true
    }

    private func saveIdentity() {
        folder.identity.save(as: writer) { [weak self] error in
            self?.report(.fileWrite, error.description)
        }
    }

    private func report(_ code: SessionErrorCode, _ text: String) { notify(.error, code.rawValue, text) }

    private func notify(_ kind: SessionNotification.Kind, _ code: Int, _ text: String) {
        core.withLock { enqueue(SessionNotification(kind, code, text), in: &$0) }
        callDelegate()
    }

    /// Records a notification with the current time, and enqueues it for all receivers.
    private func enqueue(_ notification: SessionNotification, in core: inout SessionCore) {
        var notification = notification
        notification.timestamp = clock.unixMilliseconds
        core.record(notification)
        stream.yield(notification)
        delegates.withLock { $0.add(notification) }
    }

    /// Calls the delegate with the enqueued notifications, unless another thread does.
    private func callDelegate() {
        guard delegates.withLock({ $0.begin() }) else { return }
        while let next = delegates.withLock({ $0.next() }) {
            next.delegate.session(self, didNotify: next.notification)
        }
    }
}
