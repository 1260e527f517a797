package import HostSystem
public import MarketProfiles
import Synchronization
import TagDelivery
public import TagStore

/// What a player calls: keeps each tag that it is handed, and sends it to the collector that the configuration names.
///
/// Every call returns at once, from any thread, and never waits for the disk or the network. A tag that reaches
/// `sendID3` is kept in every state, unless the user has opted out or the session is disabled: it is on the disk within
/// a tenth of a second, and from then on it is delivered, or still there, or its loss is counted. What the guides would
/// not have allowed is a finding, and measurement goes on.
///
///     let session = MeasurementSession(appInfo: ["appid": "T…"], options: SessionOptions(directory: folder))
///     session.play(["channelName": "Harbour TV"])
///     session.loadMetadata(["type": "content", "assetid": "HARBOUR0205"])
///     session.sendID3(bytes)
public final class MeasurementSession: Sendable {
    /// The version that `getMeterVersion` names.
    public static let meterVersion = Uploader.version

    /// Events and errors, from the first on; the newest 1,000 wait for whoever reads late.
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

    /// A session of an app.
    ///
    /// It begins at once; what is wrong with the app's information is a notification.
    ///
    /// - Parameters:
    ///   - appInfo: an object, or its JSON as text; `appid` is all that is needed.
    ///   - options: the folder, and where the configuration comes from.
    public convenience init(appInfo: MetadataValue, options: SessionOptions) {
        self.init(options: options)
        initialize(appInfo)
    }

    /// A session that has not been initialized: tags are kept all the same.
    public convenience init(options: SessionOptions) { self.init(options: options, clock: .system) }

    /// A session that goes by another clock, or has a buffer that somebody else opened, and closes.
    package init(options: SessionOptions, clock: any HostClock, buffer: TagBuffer? = nil) {
        self.options = options
        self.clock = clock
        (notifications, stream) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1_000))
        // `a`, `a/` and a symbolic link to it are one folder.
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

    /// Makes a call, whatever it is, and answers what became of it.
    @discardableResult
    public func call(_ call: SessionCall) -> CallResult {
        let now = clock.sinceBoot
        // Before the lock, so that calls of other threads wait as little as can be.
        let call = call.read
        let (result, actions) = core.withLock { core in
            let (result, actions) = core.take(call, at: now)
            order(actions)
            return (result, actions)
        }
        perform(actions)
        return result
    }

    /// Waits until every call that was made has been answered, and everything that was kept is on the disk, the user's
    /// choice included; false where the disk is full or read-only, and after `finish`.
    ///
    /// Also false, from then on, where tags of the folder that were in memory only were lost during the session.
    @discardableResult
    public func settle() async -> Bool {
        await waitUntilReady()
        guard let number = user.withLock({ $0 }) else { return false }
        let isStored = await store.settle(number)
        return await isIdentityStored() && isStored
    }

    /// Ends the session: what is held will not be presented, and what waits is written.
    ///
    /// The last session of a folder closes its buffer; what was not delivered is sent after the next launch. A tag that is
    /// handed over afterwards is discarded.
    ///
    /// - Returns: whether everything that was kept is on the disk; false also at a second call.
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

    /// Whether calls are answered at once: the user's choice is known, and the configuration.
    package var isReady: Bool { core.withLock { $0.gate == .open } }

    /// Waits until calls are answered at once, which takes no longer than a configuration may.
    package func waitUntilReady() async {
        while !isReady, !Task.isCancelled {
            do throws(CancellationError) {
                try await SystemClock().sleep(for: .milliseconds(1))
            } catch {
                // Whoever is cancelled waits for nothing.
            }
        }
    }

    // MARK: Answers

    /// Where the session is.
    public var state: SessionState { core.withLock { $0.machine.state } }

    /// What became of the tags that were handed over, at this moment.
    public var counts: SessionCounts { core.withLock { $0.machine.counts } }

    /// How often each finding was made.
    public var findings: [SessionFinding: Int] { core.withLock { $0.machine.findings } }

    /// Where the tags are that were kept.
    public var storage: SessionStorage {
        user.withLock { $0 }.map { store.storage(of: $0) } ?? SessionStorage()
    }

    /// Every tag that the buffer of the folder was ever offered, of all sessions; nil while it is not open.
    public var bufferTotals: StoreTotals? { store.totals }

    /// The last event or error; nil before the first.
    public var lastOccurred: SessionNotification? { core.withLock { $0.lastNotification } }

    /// The last event; nil before the first.
    public var lastEvent: SessionNotification? { core.withLock { $0.lastEvent } }

    /// The last error; nil before the first.
    public var lastError: SessionNotification? { core.withLock { $0.lastError } }

    /// Whether the user has opted out.
    public var optOutStatus: Bool { core.withLock { $0.machine.isOptedOut } }

    /// The page where the user chooses; nil where the configuration names none.
    public var optOutURL: String? { core.withLock { $0.configuration.optOutURL } }

    /// The random id of this device's buffer; nil before it was read, and for a user who has opted out.
    public var deviceID: String? {
        core.withLock { $0.machine.isOptedOut ? nil : $0.identity?.nuid }
    }

    /// The first-party id; nil where the app wants none, and for a user who has opted out.
    public var firstPartyID: String? {
        core.withLock { $0.machine.isOptedOut ? nil : $0.identity?.firstPartyID }
    }

    /// Who is told of events and errors; not kept alive.
    public var delegate: (any MeasurementSessionDelegate)? {
        get { delegateBox.withLock { $0.delegate } }
        set { delegateBox.withLock { $0.delegate = newValue } }
    }

    // MARK: What calls bring about

    /// Hands what is to be done in the buffer over, in the order of the calls: with the lock, and without waiting.
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

    /// Does the rest, after the lock.
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
            // A choice may have been made elsewhere since it was read.
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

    /// Takes over what was changed in another session of the folder.
    private func learn(_ identity: SessionIdentity) {
        let actions = core.withLock { core in
            core.identity = identity
            let actions = core.machine.learn(optedOutStore: identity.optedOutStore)
            order(actions)
            return actions
        }
        perform(actions)
    }

    /// Changes what is kept of the device, and has it written.
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
