package import HostSystem
public import MarketProfiles
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

    /// All events and errors; a late reader gets the newest 1,000.
    public let notifications: AsyncStream<SessionNotification>

    private let stream: AsyncStream<SessionNotification>.Continuation
    private let options: SessionOptions
    private let clock: any HostClock
    private let store: SessionStore
    private let core: Mutex<SessionCore>
    private let delegateBox = Mutex(WeakDelegate())
    private let user = Mutex<UInt64?>(nil)
    private let folder: FolderIdentity
    private let listener = Mutex<UInt64>(0)

    private struct WeakDelegate: Sendable {
        weak var delegate: (any MeasurementSessionDelegate)?
    }

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
        (notifications, stream) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1_000))
        // `a`, `a/` and a symbolic link to `a` are the same folder.
        let directory = options.directory.isEmpty ? "" : FileSystem.canonicalPath(options.directory)
        store =
            buffer.map { SessionStore(buffer: $0, clock: clock) }
            ?? .shared(directory: directory, settings: options.store, clock: clock)
        folder = .of(directory)
        let policy = SessionPolicy(keepsRepeats: options.keepsRepeats)
        core = Mutex(
            SessionCore(
                machine: SessionMachine(policy: policy) { TagID.random().text },
                gate: options.keepsIdentity ? .identity : .open,
                waitsForConfiguration: options.configuration != .none))
        let number = store.join { [weak self] code, reason in self?.report(code, reason) }
        user.withLock { $0 = number }
        guard options.keepsIdentity else { return }
        let place = folder.listen { [weak self] in self?.learn($0) }
        listener.withLock { $0 = place }
        loadIdentity()
    }

    deinit {
        stream.finish()
        if options.keepsIdentity { folder.leave(listener.withLock { $0 }) }
        guard let number = user.withLock({ $0.take() }) else { return }
        let store = store
        Task.detached { _ = await store.leave(number) }
    }

    // MARK: Calls

    /// Makes any call, and returns its result.
    @discardableResult
    public func call(_ call: SessionCall) -> CallResult {
        let now = clock.sinceBoot
        // Parses tags before taking the lock, so that calls on other threads wait as little as possible.
        let call = call.parsed
        let (result, actions) = core.withLock { core in
            let (result, actions) = core.take(call, at: now)
            order(actions)
            return (result, actions)
        }
        perform(actions)
        return result
    }

    /// Waits until every call has been answered, and the stored tags and the user's choice are on the disk.
    ///
    /// - Returns: whether everything is on the disk; false if the disk is full or read-only, and after `finish`. Also
    ///   false from then on if tags of the folder that were only in memory were lost during the session.
    @discardableResult
    public func flush() async -> Bool {
        await waitUntilReady()
        guard let number = user.withLock({ $0 }) else { return false }
        let isStored = await store.settle(number)
        return await isIdentityStored() && isStored
    }

    /// Ends the session: held tags will not be presented, and pending tags are written.
    ///
    /// The last session of a folder closes its buffer; undelivered tags are sent after the next launch. A tag handed
    /// over after this call is discarded.
    ///
    /// - Returns: whether all stored tags are on the disk; false for a second call.
    @discardableResult
    public func finish() async -> Bool {
        await waitUntilReady()
        call(SessionCall(.free))
        let number = core.withLock { core -> UInt64? in
            core.machine.isFinished = true
            return user.withLock { $0.take() }
        }
        guard let number else { return false }
        let isStored = await store.leave(number)
        let isIdentityStored = await isIdentityStored()
        stream.finish()
        return isStored && isIdentityStored
    }

    private func isIdentityStored() async -> Bool {
        guard options.keepsIdentity else { return true }
        return await folder.flush()
    }

    /// Whether calls are answered at once: the user's choice and the configuration are known.
    package var isReady: Bool { core.withLock { $0.gate == .open } }

    /// Waits until calls are answered at once, at most for the time that loading a configuration may take.
    package func waitUntilReady() async {
        while !isReady, !Task.isCancelled {
            do throws(CancellationError) {
                try await SystemClock().sleep(for: .milliseconds(1))
            } catch {
                // A cancelled task stops waiting.
            }
        }
    }

    // MARK: Answers

    /// The state of the session.
    public var state: SessionState { core.withLock { $0.machine.state } }

    /// The number of tags handed over, by outcome, at this moment.
    public var counts: SessionCounts { core.withLock { $0.machine.counts } }

    /// The number of times each finding occurred.
    public var findings: [SessionFinding: Int] { core.withLock { $0.machine.findings } }

    /// The number of stored tags in each place.
    public var storage: SessionStorage {
        user.withLock { $0 }.map { store.storage(of: $0) } ?? SessionStorage()
    }

    /// The counts of all tags ever offered to the folder's buffer, by all sessions; nil while it is not open.
    public var bufferTotals: StoreTotals? { store.totals }

    /// The last event or error; nil before the first.
    public var lastOccurred: SessionNotification? { core.withLock { $0.lastNotification } }

    /// The last event; nil before the first.
    public var lastEvent: SessionNotification? { core.withLock { $0.lastEvent } }

    /// The last error; nil before the first.
    public var lastError: SessionNotification? { core.withLock { $0.lastError } }

    /// Whether the user has opted out.
    public var optOutStatus: Bool { core.withLock { $0.machine.isOptedOut } }

    /// The address of the opt-out page; nil if the configuration names none.
    public var optOutURL: String? { core.withLock { $0.configuration.optOutURL } }

    /// The random id of this device's buffer; nil until it is read, and for a user who has opted out.
    public var deviceID: String? {
        core.withLock { $0.machine.isOptedOut ? nil : $0.identity?.nuid }
    }

    /// The first-party id; nil if the app disables it, and for a user who has opted out.
    public var firstPartyID: String? {
        core.withLock { $0.machine.isOptedOut ? nil : $0.identity?.firstPartyID }
    }

    /// The receiver of events and errors, held weakly.
    public var delegate: (any MeasurementSessionDelegate)? {
        get { delegateBox.withLock { $0.delegate } }
        set { delegateBox.withLock { $0.delegate = newValue } }
    }

    // MARK: Actions of calls

    /// Enqueues the buffer actions in the order of the calls.
    ///
    /// Runs with the lock held, and does not wait.
    private func order(_ actions: [SessionAction]) {
        guard let number = user.withLock({ $0 }) else { return }
        for action in actions {
            switch action {
            case .store(let tag): store.append(tag, of: number)
            case .present(let tag), .flush(let tag): store.release(tag, of: number)
            case .summarize(let summary): store.append(summary, of: number)
            default: break
            }
        }
    }

    /// Performs the other actions, after the lock is released.
    private func perform(_ actions: [SessionAction]) {
        if !actions.isEmpty { store.begin() }
        for action in actions {
            switch action {
            case .store, .present, .flush, .summarize: break
            case .configure(let app): configure(app)
            case .setOptedOut(let store): change { $0.optedOutStore = store }
            case .setFirstPartyID(let isWanted):
                let now = clock.reading
                change { _ = $0.renew(wantsFirstPartyID: isWanted, now: now) }
            case .upload: store.upload()
            case .report(let code): report(code, code.summary)
            case .shutDown: notify(.event, SessionNotification.shutdown, "shut down")
            }
        }
    }

    private func configure(_ app: AppIdentity) {
        let isKnown = core.withLock { $0.configuration != SessionConfiguration() }
        guard options.configuration != .none, !isKnown else {
            return notify(.event, SessionNotification.startup, "started")
        }
        let loader = ConfigurationLoader(
            source: options.configuration, directory: options.directory,
            authoritiesFile: options.authoritiesFile)
        Task.detached(priority: .high) { [weak self] in
            let outcome = await loader.load(for: app)
            self?.take(outcome, for: app)
        }
    }

    private func take(_ outcome: ConfigurationLoader.Outcome, for app: AppIdentity) {
        let actions = core.withLock { core in
            if let configuration = outcome.configuration {
                core.configuration = configuration
                core.machine.policy.names = configuration.names
                core.machine.policy.sendsOptedOut = configuration.sendsOptedOut
            }
            guard core.gate == .configuration else { return [SessionAction]() }
            let actions = core.open()
            order(actions)
            return actions
        }
        if let error = outcome.error { report(error, error.summary) }
        if let configuration = outcome.configuration {
            notify(.event, SessionNotification.startup, "started")
            if let collector = configuration.collector(of: app.facility) {
                store.deliver(
                    to: StoreDestination(
                        collector: collector, token: configuration.token,
                        interval: .seconds(configuration.uploadInterval),
                        authoritiesFile: options.authoritiesFile))
            }
        }
        perform(actions)
    }

    private func loadIdentity() {
        let now = clock.reading
        let folder = folder
        Task.detached(priority: .high) { [weak self] in
            let identity = folder.load(now: now)
            self?.take(identity)
        }
    }

    private func take(_ identity: SessionIdentity) {
        let actions = core.withLock { core in
            // Another session may have changed the choice since it was read.
            let identity = core.identity ?? identity
            core.identity = identity
            core.machine.optedOutStore = identity.optedOutStore
            let actions = core.open()
            order(actions)
            return actions
        }
        save()
        perform(actions)
    }

    /// Applies a change that another session of the folder has made.
    private func learn(_ identity: SessionIdentity) {
        let actions = core.withLock { core in
            core.identity = identity
            let actions = core.machine.learn(optedOutStore: identity.optedOutStore)
            order(actions)
            return actions
        }
        perform(actions)
    }

    /// Changes the identity of the device, and starts writing it.
    private func change(_ body: @Sendable (inout SessionIdentity) -> Void) {
        guard options.keepsIdentity, folder.change(by: listener.withLock({ $0 }), body) else { return }
        // Another session may have changed it since.
        core.withLock { $0.identity = folder.current }
        save()
    }

    private func save() {
        folder.save { [weak self] error in self?.report(.fileWrite, error.description) }
    }

    private func report(_ code: SessionErrorCode, _ text: String) { notify(.error, code.rawValue, text) }

    private func notify(_ kind: SessionNotification.Kind, _ code: Int, _ text: String) {
        let notification = SessionNotification(
            kind: kind, code: code, text: text, timestamp: clock.unixMilliseconds)
        core.withLock { core in
            core.note(notification)
            stream.yield(notification)
        }
        delegate?.session(self, didNotify: notification)
    }
}
